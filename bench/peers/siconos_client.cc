#include "siconos_client.h"

#include <cstdio>

namespace stance::bench {

bool SiconosProcess::start(const std::string& executable, const SiconosSetup& setup,
                           double tolerance, const std::string& file) {
  if (!launch(executable)) return false;
  char number[32];
  std::snprintf(number, sizeof number, "%.17g", tolerance);
  const std::string text = std::string("problem ") + setup.solver + ' ' + setup.storage + ' ' +
                           setup.tweak + ' ' + number + ' ' + file + '\n';
  if (!send(text)) return false;
  const auto answer = receive_numbers("solved", 2);
  if (!answer) return false;
  first_us_ = (*answer)[0];
  iterations_ = static_cast<int>((*answer)[1]);
  return true;
}

std::optional<std::vector<double>> SiconosProcess::impulses(int num_contacts) {
  if (!send("impulses\n")) return std::nullopt;
  return receive_numbers("p", 3 * static_cast<size_t>(num_contacts));
}

std::optional<double> SiconosProcess::time_us(int repeats) {
  if (!send("time " + std::to_string(repeats) + "\n")) return std::nullopt;
  return receive_number("us");
}

}  // namespace stance::bench
