#include "stance/cli/time_figure.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "stance/cli/gnuplot.h"
#include "stance/cli/terminal.h"

namespace stance::cli {
namespace {

// of Okabe and Ito, told apart by the colour-blind too, and darker ones where those are used up
constexpr const char* kColours[] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00",
                                    "#56b4e9", "#444444", "#6a3d9a", "#8c510a", "#b2182b"};

constexpr double kWidth = 1000.0, kLetter = 7.4;  // pixels; a letter of the legend
constexpr double kTop = 44.0, kBottom = 52.0, kGap = 16.0, kLeft = 92.0;

// Fewer are taller; none is lower than its legend, as far as that is reasonable.
double calc_panel_height(std::size_t panels, const TimePanel& panel) {
  std::size_t titles = 0;
  for (const TimeCurve& curve : panel.curves) titles += !curve.is_dashed;
  const double least = panels == 1 ? 400.0 : panels == 2 ? 260.0 : panels <= 4 ? 200.0 : 150.0;
  return std::max(least, std::min(54.0 + 18.0 * static_cast<double>(titles), 1200.0));
}

// Letters of the longest title.
int find_longest(const TimeFigure& figure) {
  int longest = 0;
  for (const TimePanel& panel : figure.panels) {
    longest = std::max(longest, calc_width(panel.heading) - 4);  // which begins at the line
    for (const TimeCurve& curve : panel.curves)
      longest = std::max(longest, calc_width(curve.title));
  }
  for (const std::string& name : figure.recordings) longest = std::max(longest, calc_width(name));
  return longest;
}

void append_data(const TimeCurve& curve, const std::string& name, fmt::memory_buffer& out) {
  fmt::format_to(std::back_inserter(out), "${} << EOD\n", name);
  for (std::size_t k = 0; k < curve.time.size(); ++k)
    if (std::isfinite(curve.value[k]))
      fmt::format_to(std::back_inserter(out), "{:.9g} {:.9g}\n", curve.time[k], curve.value[k]);
  fmt::format_to(std::back_inserter(out), "EOD\n");
}

// Room above and below the curves; a constant gets some too, so that it does not fill the axis with
// its last digit.
std::string write_range(const TimePanel& panel) {
  double low = 1e300, high = -1e300;
  for (const TimeCurve& curve : panel.curves)
    for (const double value : curve.value)
      if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
  if (!(low <= high)) return "set yrange [-1:1]\n";
  const double size = std::max({std::abs(low), std::abs(high), 1e-12});
  const double span = std::max(high - low, 1e-6 * size);
  const double room = high - low < 1e-6 * size ? std::max(0.05 * size, 1e-12) : 0.07 * span;
  return fmt::format("set yrange [{:.12g}:{:.12g}]\n", low - room, high + room);
}

std::string write_curves(const TimeFigure& figure, std::size_t p) {
  const TimePanel& panel = figure.panels[p];
  std::string text =
      fmt::format("set key title {} left noenhanced\nplot ", quote_gnuplot(panel.heading));
  for (std::size_t c = 0; c < panel.curves.size(); ++c) {
    const TimeCurve& curve = panel.curves[c];
    const std::size_t colour = static_cast<std::size_t>(curve.colour) % std::size(kColours);
    // once the colours are used up, the same ones again with dots
    static constexpr const char* kDashes[] = {"solid", "(2,3)", "(9,3,2,3)"};
    const std::size_t round = static_cast<std::size_t>(curve.colour) / std::size(kColours);
    text += fmt::format(
        "{}$p{}c{} using 1:2 with lines linewidth {} dashtype {} linecolor rgb '{}' ",
        c ? ", " : "", p, c, curve.is_dashed ? 1.6 : 1.8,
        curve.is_dashed ? "(8,5)" : kDashes[round % std::size(kDashes)], kColours[colour]);
    text +=
        curve.is_dashed || curve.title.empty() ? "notitle" : "title " + quote_gnuplot(curve.title);
  }
  // which line is which recording, once
  if (p == 0 && figure.recordings.size() == 2)
    text += fmt::format(
        ", keyentry with lines linewidth 1.8 linecolor rgb '#777777' title {}"
        ", keyentry with lines linewidth 1.6 dashtype (8,5) linecolor rgb '#777777' title {}",
        quote_gnuplot(figure.recordings[0]), quote_gnuplot(figure.recordings[1]));
  return text + "\n";
}

}  // namespace

void thin_out(TimeCurve& curve, std::size_t stretches) {
  const std::size_t count = curve.time.size();
  if (count <= 2 * stretches) return;
  TimeCurve out = curve;
  out.time.clear(), out.value.clear();
  for (std::size_t s = 0; s < stretches; ++s) {
    const std::size_t first = s * count / stretches, last = (s + 1) * count / stretches;
    const auto [low, high] =
        std::minmax_element(curve.value.begin() + static_cast<std::ptrdiff_t>(first),
                            curve.value.begin() + static_cast<std::ptrdiff_t>(last));
    for (const auto it : {std::min(low, high), std::max(low, high)}) {
      const auto k = static_cast<std::size_t>(it - curve.value.begin());
      out.time.push_back(curve.time[k]), out.value.push_back(curve.value[k]);
    }
  }
  curve = std::move(out);
}

std::string write_time_figure(const TimeFigure& figure, const std::string& file) {
  const std::size_t panels = figure.panels.size();
  std::vector<double> heights;
  double height = kTop + kBottom - kGap;
  for (const TimePanel& panel : figure.panels) {
    heights.push_back(calc_panel_height(panels, panel));
    height += heights.back() + kGap;
  }
  const double right = std::clamp(70.0 + kLetter * find_longest(figure), 30.0, 0.45 * kWidth);

  const bool is_png = std::filesystem::path(file).extension() == ".png";
  std::string text = fmt::format(
      "set terminal {}\nset output {}\n",
      is_png ? fmt::format("pngcairo size {:.0f},{:.0f} font 'sans,10' background 'white'", kWidth,
                           height)
             : fmt::format("svg size {:.0f},{:.0f} dynamic font 'sans,13' background 'white'",
                           kWidth, height),
      quote_gnuplot(file));
  text += fmt::format(
      "set multiplot\nset xrange [{:.12g}:{:.12g}]\nset grid lc rgb '#e2e2e2' lt 1 lw 1\n"
      "set border 3 lc rgb '#666666'\nset tics nomirror textcolor rgb '#333333'\n"
      "set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n"
      "set key at screen {:.4f}, graph 1.0 left top Left reverse vertical maxcols 1 samplen 2 "
      "spacing 1.15 "
      "noenhanced textcolor rgb '#222222'\nset format x ''\n",
      figure.from, figure.to, kLeft / kWidth, 1.0 - right / kWidth, 1.0 - (right - 14.0) / kWidth);
  fmt::memory_buffer data;
  for (std::size_t p = 0; p < panels; ++p)
    for (std::size_t c = 0; c < figure.panels[p].curves.size(); ++c)
      append_data(figure.panels[p].curves[c], fmt::format("p{}c{}", p, c), data);
  text.append(data.data(), data.size());

  double from_top = kTop;
  for (std::size_t p = 0; p < panels; ++p) {
    text += fmt::format("set tmargin at screen {:.4f}\nset bmargin at screen {:.4f}\n",
                        1.0 - from_top / height, 1.0 - (from_top + heights[p]) / height);
    from_top += heights[p] + kGap;
    if (p == 0)
      text += fmt::format("set title {} noenhanced font ',{}' offset 0,-0.2\n",
                          quote_gnuplot(figure.title), is_png ? 12 : 16);
    else
      text += "unset title\n";
    if (p + 1 == panels) text += "set format x '%g'\nset xlabel 'time [s]' offset 0,0.3\n";
    // a label rather than ylabel, so that those of all panels stand in one line
    text += fmt::format(
        "set label 1 {} at screen {:.4f}, graph 0.5 center rotate noenhanced textcolor rgb "
        "'#222222'\n",
        quote_gnuplot(figure.panels[p].label), 18.0 / kWidth);
    text += write_range(figure.panels[p]) + write_curves(figure, p);
  }
  return text + "unset multiplot\n";
}

}  // namespace stance::cli
