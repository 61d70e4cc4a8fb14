#pragma once

// A scalar that records what is done with it instead of doing it. Sending it through an algorithm
// in place of doubles gives the algorithm as straight-line code: a list of operations that can be
// evaluated anywhere, counted or written out.
//
// It has no value while it is recorded, so nothing can be decided by it: comparisons do not
// compile, and neither does code that branches on values of its scalar.

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace stance::kernel {

struct ExpressionTape {
  enum class Operation : std::uint8_t {
    kConstant,  // value
    kInput,     // a: its number
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kSine,
    kCosine,
    kRoot,
    kAtan2,        // of a over b
    kSelectBelow,  // a where c is below `value`, else b
  };
  struct Node {
    Operation operation = Operation::kConstant;
    int a = 0, b = 0;  // nodes before it
    double value = 0.0;
    int c = 0;
  };

  std::vector<Node> nodes = {Node{}};  // the first is zero
  int inputs = 0;

  int add(Operation operation, int a, int b, double value = 0.0, int c = 0) {
    nodes.push_back({operation, a, b, value, c});
    return static_cast<int>(nodes.size()) - 1;
  }

  // Values of all nodes for these inputs.
  void evaluate(std::span<const double> input, std::vector<double>& values) const;
};

class Expression {
 public:
  Expression() = default;     // zero
  Expression(double value) {  // NOLINT: numbers are expressions
    if (value != 0.0) node_ = tape().add(ExpressionTape::Operation::kConstant, 0, 0, value);
  }

  // The next input of the tape.
  static Expression make_input() {
    ExpressionTape& to = tape();
    return make(ExpressionTape::Operation::kInput, to.inputs++, 0);
  }
  static Expression make(ExpressionTape::Operation operation, int a, int b, double value = 0.0,
                         int c = 0) {
    Expression x;
    x.node_ = tape().add(operation, a, b, value, c);
    return x;
  }
  // Where this thread records.
  static ExpressionTape& tape() {
    thread_local ExpressionTape recorded;
    return recorded;
  }

  int node() const { return node_; }

  Expression& operator+=(const Expression& b);
  Expression& operator-=(const Expression& b);

 private:
  int node_ = 0;
};

inline Expression operator+(const Expression& x, const Expression& y) {
  return Expression::make(ExpressionTape::Operation::kAdd, x.node(), y.node());
}
inline Expression operator-(const Expression& x, const Expression& y) {
  return Expression::make(ExpressionTape::Operation::kSubtract, x.node(), y.node());
}
inline Expression operator*(const Expression& x, const Expression& y) {
  return Expression::make(ExpressionTape::Operation::kMultiply, x.node(), y.node());
}
inline Expression operator/(const Expression& x, const Expression& y) {
  return Expression::make(ExpressionTape::Operation::kDivide, x.node(), y.node());
}
inline Expression operator-(const Expression& x) {
  return Expression::make(ExpressionTape::Operation::kNegate, x.node(), 0);
}
inline Expression& Expression::operator+=(const Expression& b) { return *this = *this + b; }
inline Expression& Expression::operator-=(const Expression& b) { return *this = *this - b; }

inline Expression sin(const Expression& x) {
  return Expression::make(ExpressionTape::Operation::kSine, x.node(), 0);
}
inline Expression cos(const Expression& x) {
  return Expression::make(ExpressionTape::Operation::kCosine, x.node(), 0);
}
inline Expression sqrt(const Expression& x) {
  return Expression::make(ExpressionTape::Operation::kRoot, x.node(), 0);
}
inline Expression atan2(const Expression& y, const Expression& x) {
  return Expression::make(ExpressionTape::Operation::kAtan2, y.node(), x.node());
}

// Puts both sides on record; see rotation.h.
template <class Near, class Far>
auto select_below(const Expression& x, double limit, Near&& near, Far&& far) {
  auto chosen = near();
  const auto other = far();
  for (std::size_t k = 0; k < chosen.size(); ++k)
    chosen[k] = Expression::make(ExpressionTape::Operation::kSelectBelow, chosen[k].node(),
                                 other[k].node(), limit, x.node());
  return chosen;
}

// Nothing else can be decided by what has no value yet.
bool operator<(const Expression&, const Expression&) = delete;
bool operator>(const Expression&, const Expression&) = delete;
bool operator<=(const Expression&, const Expression&) = delete;
bool operator>=(const Expression&, const Expression&) = delete;
bool operator==(const Expression&, const Expression&) = delete;
bool operator!=(const Expression&, const Expression&) = delete;

inline void ExpressionTape::evaluate(std::span<const double> input,
                                     std::vector<double>& values) const {
  values.resize(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Node& node = nodes[k];
    const auto a = [&] { return values[node.a]; };
    const auto b = [&] { return values[node.b]; };
    switch (node.operation) {
      case Operation::kConstant: values[k] = node.value; break;
      case Operation::kInput: values[k] = input[node.a]; break;
      case Operation::kAdd: values[k] = a() + b(); break;
      case Operation::kSubtract: values[k] = a() - b(); break;
      case Operation::kMultiply: values[k] = a() * b(); break;
      case Operation::kDivide: values[k] = a() / b(); break;
      case Operation::kNegate: values[k] = -a(); break;
      case Operation::kSine: values[k] = std::sin(a()); break;
      case Operation::kCosine: values[k] = std::cos(a()); break;
      case Operation::kRoot: values[k] = std::sqrt(a()); break;
      case Operation::kAtan2: values[k] = std::atan2(a(), b()); break;
      case Operation::kSelectBelow: values[k] = values[node.c] < node.value ? a() : b(); break;
    }
  }
}

}  // namespace stance::kernel

// What Eigen's matrices ask of a scalar that they hold; none of it is computed with.
template <>
struct Eigen::NumTraits<stance::kernel::Expression>
    : Eigen::GenericNumTraits<stance::kernel::Expression> {
  enum { RequireInitialization = 1, ReadCost = 1, AddCost = 1, MulCost = 1 };
};
