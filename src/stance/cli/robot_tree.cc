#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "stance/cli/robot_text.h"

namespace stance::cli {
namespace {

constexpr int kMostLines = 300;
constexpr int kDeepest = 40;  // indentation; chains may be thousands of bodies long

std::string merged_text(const std::vector<std::string>& links, const Style& style) {
  constexpr std::size_t kShown = 6;
  if (links.empty()) return {};
  std::string text =
      fmt::format("{}  + {}", style.dim,
                  fmt::join(links.begin(), links.begin() + std::min(kShown, links.size()), ", "));
  if (links.size() > kShown) text += fmt::format(" and {} more", links.size() - kShown);
  return text + style.plain;
}

std::string body_text(const model::Model& model, const RobotSummary& summary, int i,
                      const Style& style) {
  const std::string axis = axis_text(model, i);
  return fmt::format("{}  {}{}{}{}{} → {}{}{}{}", model.joint_name[i], style.dim,
                     joint_type_text(model, i), axis.empty() ? "" : " ", axis, style.plain,
                     style.bold, model.body_name[i], style.plain,
                     merged_text(summary.merged[i], style));
}

}  // namespace

std::string format_tree(const model::Model& model, const RobotSummary& summary,
                        const Style& style) {
  std::vector<std::vector<int>> children(model.nbody);
  for (int i = 1; i < model.nbody; ++i) children[model.parent[i]].push_back(i);

  // A stack instead of recursion: the deepest chain must not run out of it.
  struct Entry {
    int body;
    int depth;
    std::string indent;  // of the body's own line
    bool last;
  };
  std::string text = fmt::format("  {}world{}{}\n", style.bold, style.plain,
                                 merged_text(summary.merged[0], style));
  std::vector<Entry> stack;
  const auto push_children = [&](int body, int depth, const std::string& indent) {
    for (std::size_t k = children[body].size(); k-- > 0;)
      stack.push_back({children[body][k], depth, indent, k + 1 == children[body].size()});
  };
  push_children(0, 0, "  ");
  int shown = 0;
  while (!stack.empty() && shown < kMostLines) {
    const Entry entry = stack.back();
    stack.pop_back();
    text += fmt::format("{}{}─ {}\n", entry.indent, entry.last ? "└" : "├",
                        body_text(model, summary, entry.body, style));
    ++shown;
    const std::string indent = entry.indent + (entry.last ? "   " : "│  ");
    if (entry.depth < kDeepest)
      push_children(entry.body, entry.depth + 1, indent);
    else if (!children[entry.body].empty())
      text += fmt::format("{}└─ … more below; --json lists all\n", indent);
  }
  if (!stack.empty())
    text += fmt::format("  … and more: {} of {} bodies are shown; --json lists all\n", shown,
                        model.nbody - 1);
  return text;
}

}  // namespace stance::cli
