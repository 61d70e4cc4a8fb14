#include "figures.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

void write_run(const std::string& folder, const WalkRun& run) {
  std::filesystem::create_directories(folder);
  std::ofstream csv(folder + "/walk_" + run.name + ".csv");
  csv.precision(8);
  csv << "time (s)";
  for (int k = 1; k <= 8; ++k) csv << ",height v" << k << " (m)";
  for (int k = 1; k <= 8; ++k) csv << ",normal force v" << k << " (N)";
  for (std::size_t n = 0; n < run.time.size(); ++n) {
    csv << "\n" << run.time[n];
    for (int k = 0; k < 8; ++k) csv << "," << run.height[8 * n + k];
    for (int k = 0; k < 8; ++k) csv << "," << run.force[8 * n + k];
  }
  csv << "\n";
}

namespace {

constexpr const char* kPlaces[4] = {"front right", "front left", "back left", "back right"};

// One panel: corner k of the right foot, in figure 11 that of the left one too.
void write_panel(std::ofstream& script, Shown shown, const WalkRun& run, int k, bool has_y,
                 bool has_x) {
  const bool has_key = k == 0;
  const std::string data = "'walk_" + run.name + ".csv' using 1:";
  const auto corner = [](int vertex) { return "v_" + std::to_string(vertex); };
  script
      << "set title '" << corner(k + 1)
      << (shown == Shown::kBothFeet ? ", " + corner(k + 5) : std::string()) << "  " << kPlaces[k]
      << "'\n"
      << (has_x
              ? "set xlabel 'time since the first foot left (s)' offset 0,0.4\nset format x '%g'\n"
              : "set xlabel ' ' offset 0,0.4\nset format x ''\n");
  if (shown == Shown::kBothFeet) {
    script << (has_y ? "set ylabel 'height (m)' offset 0.8,0\nset format y '%g'\n"
                     : "unset ylabel\nset format y ''\n")
           << "plot " << data << 2 + k << " with lines lw 1.8 lc rgb '#1f4e9c' title '"
           << (has_key ? "right foot" : "") << "', " << data << 6 + k
           << " with lines lw 1.8 dt (8,4) lc rgb '#d1442b' title '" << (has_key ? "left foot" : "")
           << "'\n";
  } else if (shown == Shown::kStance) {
    script << (has_y ? "set ylabel 'height (mm)' offset 0.8,0\nset format y '%g'\n"
                     : "unset ylabel\nset format y ''\n")
           << "plot " << data << "(1e3*$" << 2 + k
           << ") with lines lw 1.6 lc rgb '#1f4e9c' notitle\n";
  } else {
    script << (has_y ? "set ylabel 'normal force (N)' offset 0.2,0\nset format y '%g'\n"
                     : "unset ylabel\nset format y ''\n")
           << "plot " << data << 10 + k << " with lines lw 1.1 lc rgb '#1f4e9c' notitle\n";
  }
}

void write_axes(std::ofstream& script, Shown shown) {
  const char* const dark = "fc rgb '#e9edf5' fs solid noborder behind\n";
  if (shown == Shown::kBothFeet) {
    script << "set xrange [0:2]\nset yrange [-0.001:0.1]\nset xtics 0.5\nset ytics 0.02\n"
           << "set key top right samplen 2.5 font ',11' width -1\n";
    return;
  }
  // while the other foot swings, the right one carries the robot alone
  script << "set xrange [0.66:1.22]\nset xtics 0.1\n"
         << "set object 1 rectangle from 0.8, graph 0 to 1.1, graph 1 " << dark << "unset key\n"
         << "set label 1 'on this foot alone' at 0.95, graph 0.94 center font ',10' tc rgb "
            "'#6a7690'\n";
  if (shown == Shown::kStance)
    script << "set yrange [-0.2:0.2]\nset ytics 0.1\nset xzeroaxis lt 1 lc rgb '#999999'\n";
  else
    script << "set yrange [0:500]\nset ytics 100\n";
}

}  // namespace

bool write_figure(const std::string& folder, const std::string& name, const std::string& title,
                  Shown shown, const WalkRun& left, const WalkRun& right) {
  std::filesystem::create_directories(folder);
  std::ofstream script(folder + "/" + name + ".gp");
  const char* const note =
      shown == Shown::kForces ? " (how the corners of a rigid foot share is not unique)" : "";
  script << "# gnuplot " << name << ".gp, in this folder\nset datafile separator ','\n";
  for (const char* kind : {"svg", "png"}) {
    const bool is_svg = std::string(kind) == "svg";
    script << (is_svg ? "set terminal svg size 1500,720 dynamic enhanced font 'sans,13' "
                        "background 'white'\n"
                      : "set terminal pngcairo size 1500,720 enhanced font 'sans,12'\n")
           << "set output '" << name << "." << kind << "'\n"
           << "set multiplot\nset grid lt 1 lc rgb '#dddddd'\nset border lc rgb '#555555'\n"
           << "set label 10 \"" << title << "\" at screen 0.5,0.968 center font 'sans,17'\n"
           << "set label 11 \"" << left.title << "\" at screen 0.2695,0.907 center font 'sans,14'\n"
           << "set label 12 \"" << right.title << note
           << "\" at screen 0.7595,0.907 center font 'sans,14'\n";
    write_axes(script, shown);
    // front right and left above, back left and right below, as in the paper
    const int place[4] = {0, 1, 2, 3};
    for (int side = 0; side < 2; ++side)
      for (int panel = 0; panel < 4; ++panel) {
        const int column = panel % 2, row = panel / 2;
        const double x0 = 0.055 + 0.49 * side + 0.222 * column, y0 = row == 0 ? 0.5 : 0.09;
        script << "set lmargin at screen " << x0 << "\nset rmargin at screen " << x0 + 0.207
               << "\nset bmargin at screen " << y0 << "\nset tmargin at screen " << y0 + 0.325
               << "\n";
        write_panel(script, shown, side == 0 ? left : right, place[panel], column == 0, row == 1);
        script << "unset label 10\nunset label 11\nunset label 12\n";
      }
    script << "unset multiplot\nunset output\nreset\nset datafile separator ','\n";
  }
  script.close();
  return std::system(
             ("cd '" + folder + "' && gnuplot '" + name + ".gp' > /dev/null 2>&1").c_str()) == 0;
}
