#include "solver/grasp_file.h"

#include <fstream>
#include <iterator>

#include "stance/kernel/byte_stream.h"
#include "stance/kernel/error.h"

namespace stance::test {
namespace {

using kernel::Force;
using kernel::Mat6;
using kernel::Vec3d;
using solver::BodyProblem;

constexpr char kMagic[] = "stance grasp 1\n";

// Both directions by one description: each takes or gives numbers in the same order.
struct Reader {
  kernel::ByteReader bytes;
  void operator()(int& x) { x = bytes.take<std::int32_t>(); }
  void operator()(double& x) { x = bytes.take<double>(); }
};
struct Writer {
  std::vector<std::byte>& bytes;
  void operator()(int& x) { kernel::append<std::int32_t>(x, bytes); }
  void operator()(double& x) { kernel::append<double>(x, bytes); }
};

template <class Io>
void pass(Io& io, Vec3d& x) {
  for (int k = 0; k < 3; ++k) {
    double value = x[k];
    io(value);
    x.set(k, value);
  }
}
template <class Io>
void pass(Io& io, Force<double>& f) {
  pass(io, f.ang), pass(io, f.lin);
}
template <class Io>
void pass(Io& io, Mat6<double>& m) {
  for (auto& column : m.c) pass(io, column.ang), pass(io, column.lin);
}

// Responses of each node to those of its tree from itself on; the others are their transposes.
template <class Io>
void pass_nodes(Io& io, BodyProblem& problem) {
  for (BodyProblem::Node& node : problem.nodes)
    io(node.first), io(node.end), io(node.responses), io(node.set);
  int size = 0;
  for (const BodyProblem::Node& node : problem.nodes) size += node.end - node.first;
  problem.response.resize(size);
  for (int j = 0; j < problem.num_nodes(); ++j) {
    const BodyProblem::Node& node = problem.nodes[j];
    for (int k = j; k < node.end; ++k) {
      Mat6<double>& response = problem.response[node.responses + k - node.first];
      pass(io, response);
      if (k > j)
        problem.response[problem.nodes[k].responses + j - node.first] = transpose(response);
    }
  }
}

// `arrays` are those of the problem: of each set, then of each node that has one.
template <class Io>
void pass_coordinates(Io& io, BodyProblem& problem, std::deque<std::vector<double>>& arrays) {
  io(problem.num_coordinates);
  for (BodyProblem::CoordinateSet& set : problem.sets)
    io(set.first_node), io(set.end_node), io(set.first), io(set.count), io(set.stride);
  std::size_t at = 0;
  const auto pass_array = [&](int size) {
    if (at == arrays.size()) arrays.emplace_back(size);
    for (double& x : arrays[at]) io(x);
    return arrays[at++].data();
  };
  for (BodyProblem::CoordinateSet& set : problem.sets)
    set.response = pass_array(set.count * set.stride);
  for (BodyProblem::Node& node : problem.nodes)
    if (node.set >= 0) node.by_coordinates = pass_array(6 * problem.sets[node.set].stride);
}

template <class Io>
void pass_blocks(Io& io, BodyProblem& problem, std::vector<Vec3d>& warm) {
  for (int i = 0; i < problem.num_blocks(); ++i) {
    solver::Block& block = problem.blocks[i];
    int law = static_cast<int>(block.law);
    io(law), io(block.rows), io(block.normal);
    block.law = static_cast<solver::Law>(law);
    io(block.mu), io(block.mu_rolling), io(block.bound);
    BodyProblem::Rows& rows = problem.rows[i];
    io(rows.a), io(rows.b), io(rows.k1), io(rows.k2), io(rows.set1), io(rows.set2);
    io(rows.c1), io(rows.c2);
    for (int k = 0; k < 3; ++k) {
      if (rows.a >= 0) pass(io, rows.f_a[k]);
      if (rows.b >= 0) pass(io, rows.f_b[k]);
    }
    pass(io, problem.q[i]), pass(io, warm[i]);
  }
}

template <class Io>
void pass(Io& io, Grasp& grasp) {
  BodyProblem& problem = grasp.problem;
  int sizes[] = {problem.num_nodes(), static_cast<int>(problem.sets.size()), problem.num_blocks()};
  for (int& size : sizes) io(size);
  problem.nodes.resize(sizes[0]), problem.sets.resize(sizes[1]);
  problem.blocks.resize(sizes[2]), problem.rows.resize(sizes[2]), problem.q.resize(sizes[2]);
  grasp.warm.resize(sizes[2]);
  pass_nodes(io, problem);
  pass_coordinates(io, problem, grasp.arrays);
  pass_blocks(io, problem, grasp.warm);
}

}  // namespace

Grasp read_grasp(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (text.rfind(kMagic, 0) != 0) throw Error(file + " is no file of a grasp");
  Reader io{{std::as_bytes(std::span(text)).subspan(sizeof kMagic - 1), file}};
  Grasp grasp;
  pass(io, grasp);
  return grasp;
}

void write_grasp(const Grasp& grasp, const std::string& file) {
  std::vector<std::byte> bytes;
  kernel::append_bytes(kMagic, sizeof kMagic - 1, bytes);
  Grasp copy = grasp;
  Writer io{bytes};
  pass(io, copy);
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

}  // namespace stance::test
