#include "stance/io/scene_snapshot.h"

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "stance/io/findings.h"

namespace stance::io {

void save_snapshot(const scene::Scene& scene, const run::Moment& from, const std::string& file) {
  const std::string bytes = run::write_snapshot(scene, from), unfinished = file + ".part";
  const auto fail = [&](const std::string& why) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw Error({file}, "the snapshot cannot be written: " + why);
  };
  errno = 0;
  std::ofstream out(unfinished, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) fail(std::generic_category().message(errno));
  std::error_code code;
  std::filesystem::rename(unfinished, file, code);
  if (code) fail(code.message());
}

run::Moment load_snapshot(const scene::Scene& scene, const std::string& file) {
  std::error_code code;
  if (std::filesystem::is_directory(file, code))
    throw Error({file}, "this is a folder; name a snapshot inside it");
  if (!std::filesystem::is_regular_file(file, code)) throw Error({file}, "there is no such file");
  std::ifstream in(file, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  if (!in) throw Error({file}, "the file cannot be read");
  try {
    return run::read_snapshot(scene, bytes);
  } catch (const Error& error) {
    throw Error({file}, bare_message(error));
  }
}

}  // namespace stance::io
