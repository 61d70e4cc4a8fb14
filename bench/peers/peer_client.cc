#include "peer_client.h"

#include <cstdlib>

namespace stance::bench {
namespace {

std::string state_text(const std::vector<double>& q, const std::vector<double>& v,
                       const std::vector<double>& tau) {
  return "\nq" + format_numbers(q) + "\nv" + format_numbers(v) + "\ntau" + format_numbers(tau) +
         "\n";
}

}  // namespace

bool PeerProcess::start(const std::string& executable, const std::string& model_text) {
  ready_ = {};
  contacts_ = 0;
  return launch(executable) && send(model_text) && receive_ready(ready_);
}

bool PeerProcess::set(const std::vector<double>& q, const std::vector<double>& v,
                      const std::vector<double>& tau) {
  if (q.size() != ready_.nq || v.size() != ready_.nv || tau.size() != ready_.nv)
    return error_ = "q, v or tau has the wrong size", false;
  return send("set" + state_text(q, v, tau)) && receive_ok();
}

std::optional<PeerEval> PeerProcess::eval(const std::vector<double>& q,
                                          const std::vector<double>& v,
                                          const std::vector<double>& tau) {
  if (q.size() != ready_.nq || v.size() != ready_.nv || tau.size() != ready_.nv)
    return error_ = "q, v or tau has the wrong size", std::nullopt;
  if (!send("eval" + state_text(q, v, tau))) return std::nullopt;
  auto M = receive_numbers("M", ready_.nv * ready_.nv);
  if (!M) return std::nullopt;
  auto bias = receive_numbers("bias", ready_.nv);
  if (!bias) return std::nullopt;
  auto vdot = receive_numbers("vdot", ready_.nv);
  if (!vdot || !receive_ok()) return std::nullopt;
  return PeerEval{std::move(*M), std::move(*bias), std::move(*vdot)};
}

bool PeerProcess::set_contacts(const std::vector<PeerContact>& contacts) {
  std::string text = "contacts " + std::to_string(contacts.size());
  for (const PeerContact& c : contacts) {
    text += ' ';
    text += std::to_string(c.body) + format_numbers(c.point);
  }
  contacts_ = contacts.size();
  return send(text + "\n") && receive_ok();
}

std::optional<std::vector<double>> PeerProcess::lambda() {
  if (!send("lambda\n")) return std::nullopt;
  auto matrix = receive_numbers("lambda", 9 * contacts_ * contacts_);
  if (!matrix || !receive_ok()) return std::nullopt;
  return matrix;
}

std::optional<double> PeerProcess::time_us(const std::string& name, int repeats) {
  if (!send("time " + name + " " + std::to_string(repeats) + "\n")) return std::nullopt;
  const auto line = receive();
  if (!line) return std::nullopt;
  if (*line == "unsupported") return error_ = name + " is unsupported", std::nullopt;
  if (line->rfind("us ", 0) == 0) return std::strtod(line->c_str() + 3, nullptr);
  lose("expected 'us', got '" + *line + "'");
  return std::nullopt;
}

}  // namespace stance::bench
