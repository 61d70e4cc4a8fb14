#include "figure.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

bool write_figure(const std::string& folder, const Figure& figure) {
  std::filesystem::create_directories(folder);
  const std::string base = folder + "/" + figure.name;
  std::ofstream csv(base + ".csv");
  csv.precision(10);
  csv << "curve," << figure.x << "," << figure.y << "\n";
  for (const Curve& curve : figure.curves)
    for (std::size_t k = 0; k < curve.x.size(); ++k)
      csv << '"' << curve.title << "\"," << curve.x[k] << "," << curve.y[k] << "\n";
  csv.close();

  std::ofstream script(base + ".gp");
  script.precision(10);
  // the legend below the plot, where no curve can be
  const std::size_t count = figure.curves.size();
  const std::size_t columns = count < 4 ? count : count == 4 ? 2 : 3;
  const std::size_t rows = (count + columns - 1) / columns;
  script << "set terminal svg size 900,600 dynamic noenhanced font 'sans,15' background 'white'\n"
         << "set output '" << base << ".svg'\n"
         << "set title \"" << figure.title << "\" font 'sans,17'\nset xlabel \"" << figure.x
         << "\" offset 0,0.5\nset ylabel \"" << figure.y << "\"\n"
         << "set grid lt 1 lc rgb '#dddddd'\nset rmargin 3\nset bmargin "
         << 4.2 + 1.3 * static_cast<double>(rows)
         << "\nset key outside below center horizontal Left reverse samplen 3 width "
         << (columns == 2 ? -5 : -1) << " maxrows " << rows << "\n"
         << "set border lc rgb '#555555'\nset linetype 1 lc rgb '#1f4e9c'\n"
         << "set linetype 2 lc rgb '#d1442b'\nset linetype 3 lc rgb '#2a8a4a'\n"
         << "set linetype 4 lc rgb '#9a4fb0'\nset linetype 5 lc rgb '#c98a00'\n"
         << "set linetype 6 lc rgb '#333333'\n"
         << figure.extra << "\n";
  // the data in the script itself, so that it draws from anywhere
  for (std::size_t c = 0; c < figure.curves.size(); ++c) {
    script << "$curve" << c << " << end\n";
    const Curve& curve = figure.curves[c];
    for (std::size_t k = 0; k < curve.x.size(); ++k)
      script << curve.x[k] << " " << curve.y[k] << "\n";
    script << "end\n";
  }
  for (std::size_t c = 0; c < figure.curves.size(); ++c)
    script << (c == 0 ? "plot " : ", ") << "$curve" << c << " using 1:2 with "
           << figure.curves[c].style << " title \"" << figure.curves[c].title << "\"";
  script << "\n";
  script.close();
  return std::system(("gnuplot '" + base + ".gp' > /dev/null 2>&1").c_str()) == 0;
}
