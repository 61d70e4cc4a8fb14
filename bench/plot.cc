#include "plot.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include <fmt/format.h>

#include "stance/kernel/error.h"

namespace stance::bench {
namespace {

// of Okabe and Ito: told apart by the colour-blind too
constexpr const char* kColours[] = {"#999999", "#56b4e9", "#e69f00", "#009e73", "#d55e00"};
constexpr int kSymbols[] = {2, 5, 9, 13, 7};  // cross, square, triangle, diamond, disc

bool has_program(const std::string& name) {
  const char* path = std::getenv("PATH");
  std::istringstream folders(path ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');)
    if (access((std::filesystem::path(folder) / name).c_str(), X_OK) == 0) return true;
  return false;
}

// In single quotes gnuplot takes everything as it is, a quote being written twice.
std::string quote(const std::string& text) {
  std::string quoted = "'";
  for (char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string write_script(const Figure& figure, const std::string& file) {
  std::string text = fmt::format(
      "set terminal svg size 1000,600 dynamic background 'white'\n"
      "set output {}\nset title {} noenhanced\nset xlabel {} noenhanced\nset ylabel {} noenhanced\n"
      "set logscale y\nset grid\nset key left top noenhanced\n",
      quote(file), quote(figure.title), quote(figure.x_label), quote(figure.y_label));
  if (figure.log_x) text += "set logscale x\n";
  if (figure.x_names.empty())
    text += "set autoscale xfix\nset offsets graph 0.02, graph 0.02, 0, 0\n";
  if (!figure.x_ticks.empty())
    text += fmt::format("set xtics ({})\n", fmt::join(figure.x_ticks, ", "));
  if (!figure.x_names.empty()) {
    text += fmt::format(
        "set xrange [-0.5:{}]\nset lmargin 16\nset rmargin 4\nset xtics rotate by 35 right "
        "noenhanced (",
        static_cast<double>(figure.x_names.size()) - 0.5);
    for (std::size_t k = 0; k < figure.x_names.size(); ++k)
      text += fmt::format("{}{} {}", k ? ", " : "", quote(figure.x_names[k]), k);
    text += ")\n";
  }

  // the data of all curves, then one plot of them
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    text += fmt::format("$curve{} << EOD\n", c);
    for (const auto& [x, y] : figure.curves[c].points) text += fmt::format("{} {}\n", x, y);
    text += "EOD\n";
  }
  // names in a row have nothing between them that a line could stand for
  const char* style = figure.x_names.empty() ? "linespoints linewidth 2" : "points linewidth 2";
  const double size = figure.x_names.empty() ? 0.6 : 0.9;
  text += "plot ";
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    // the last curve, ours where there are others, always looks the same
    const bool is_last = c + 1 == figure.curves.size();
    const std::size_t look = is_last ? std::size(kColours) - 1 : c % std::size(kColours);
    text += fmt::format("{}$curve{} with {} pointtype {} pointsize {} linecolor rgb '{}' title {}",
                        c ? ", " : "", c, style, kSymbols[look], size, kColours[look],
                        quote(figure.curves[c].title));
  }
  return text + "\n";
}

}  // namespace

void check_plot(const std::string& file) {
  if (!has_program("gnuplot"))
    throw Error("--plot needs the program gnuplot (Debian package gnuplot-nox)");
  std::FILE* out = std::fopen(file.c_str(), "a");
  if (!out) throw Error(fmt::format("--plot: cannot write {}", file));
  std::fclose(out);
}

void draw_plot(const Figure& figure, const std::string& file) {
  std::FILE* gnuplot = popen("gnuplot", "w");
  if (!gnuplot) throw Error("--plot: cannot start gnuplot");
  fmt::print(gnuplot, "{}", write_script(figure, file));
  if (pclose(gnuplot) != 0) throw Error("--plot: gnuplot failed; what it said stands above");
}

}  // namespace stance::bench
