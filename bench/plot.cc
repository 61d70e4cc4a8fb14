#include "plot.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "stance/cli/gnuplot.h"

namespace stance::bench {
namespace {

using cli::quote_gnuplot;

// of Okabe and Ito: told apart by the colour-blind too
constexpr const char* kColours[] = {"#999999", "#56b4e9", "#e69f00", "#009e73", "#d55e00"};
constexpr int kSymbols[] = {2, 5, 9, 13, 7};  // cross, square, triangle, diamond, disc

// From the least to the largest value and a little more, where gnuplot would go to powers of ten;
// with numbers at 1, 2 and 5, or at every power where there are many.
std::string write_range(const Figure& figure) {
  double least = 1e300, most = 0.0;
  for (const Curve& curve : figure.curves)
    for (const auto& [x, y] : curve.points) least = std::min(least, y), most = std::max(most, y);
  if (!(least > 0.0 && least <= most)) return "";
  least /= 1.5, most *= 1.5;
  const bool is_long = most > 3e3 * least;
  std::string ticks;
  for (double power = std::pow(10.0, std::floor(std::log10(least))); power <= most; power *= 10.0)
    for (const double digit : {1.0, 2.0, 5.0})
      if (digit == 1.0 || !is_long)
        ticks += fmt::format("{}{:.6g}", ticks.empty() ? "" : ", ", digit * power);
  return fmt::format("set yrange [{}:{}]\nset ytics ({})\n", least, most, ticks);
}

std::string write_script(const Figure& figure, const std::string& file) {
  // the legend below the plot, where no curve can be: long titles in two columns
  std::size_t longest = 0;
  for (const Curve& curve : figure.curves) longest = std::max(longest, curve.title.size());
  const std::size_t columns = longest > 20 ? 2 : 5;
  const std::size_t rows = (figure.curves.size() + columns - 1) / columns;
  // names take the place of the label of their axis
  const bool has_names = !figure.x_names.empty();
  const bool is_told = has_names && !figure.x_label.empty();
  const std::string title =
      is_told ? fmt::format("{} ({})", figure.title, figure.x_label) : figure.title;
  std::string text = fmt::format(
      "set terminal svg size 1000,640 dynamic font 'sans,15' background 'white'\n"
      "set output {}\nset title {} noenhanced font 'sans,18'\n"
      "set xlabel {} noenhanced offset 0,0.5\nset ylabel {} noenhanced\n"
      "set logscale y\nset format y '%.10g'\nset grid lc rgb '#dddddd' lt 1\n"
      "set border lc rgb '#555555'\n"
      "set key outside below center horizontal Left reverse noenhanced samplen 2 width {} "
      "maxrows {}\n",
      quote_gnuplot(file), quote_gnuplot(title), quote_gnuplot(has_names ? "" : figure.x_label),
      quote_gnuplot(figure.y_label), columns == 2 ? -5 : 1,
      rows);  // gnuplot takes long texts for wider than they are
  if (!has_names) text += fmt::format("set bmargin {}\n", 4.0 + 1.5 * static_cast<double>(rows));
  text += write_range(figure);
  if (figure.log_x) text += "set logscale x\n";
  if (figure.x_names.empty())
    text += "set autoscale xfix\nset offsets graph 0.02, graph 0.02, 0, 0\nset rmargin 4\n";
  if (!figure.x_ticks.empty())
    text += fmt::format("set xtics ({})\n", fmt::join(figure.x_ticks, ", "));
  if (!figure.x_names.empty()) {
    text += fmt::format(
        "set xrange [-0.5:{}]\nset lmargin 17\nset rmargin 4\nset xtics rotate by 35 right "
        "noenhanced (",
        static_cast<double>(figure.x_names.size()) - 0.5);
    for (std::size_t k = 0; k < figure.x_names.size(); ++k)
      text += fmt::format("{}{} {}", k ? ", " : "", quote_gnuplot(figure.x_names[k]), k);
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
  const double size = figure.x_names.empty() ? 0.7 : 1.0;
  text += "plot ";
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    // the last curve, ours where there are others, always looks the same
    const bool is_last = c + 1 == figure.curves.size();
    const std::size_t look = is_last ? std::size(kColours) - 1 : c % std::size(kColours);
    text += fmt::format("{}$curve{} with {} pointtype {} pointsize {} linecolor rgb '{}' title {}",
                        c ? ", " : "", c, style, kSymbols[look], size, kColours[look],
                        quote_gnuplot(figure.curves[c].title));
  }
  return text + "\n";
}

}  // namespace

void check_plot(const std::string& file) { cli::check_gnuplot("--plot", file); }

void draw_plot(const Figure& figure, const std::string& file) {
  cli::run_gnuplot("--plot", write_script(figure, file));
}

}  // namespace stance::bench
