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
  script << "set terminal svg size 900,560 dynamic noenhanced font 'sans,15' background 'white'\n"
         << "set output '" << base << ".svg'\n"
         << "set title \"" << figure.title << "\"\nset xlabel \"" << figure.x << "\"\nset ylabel \""
         << figure.y << "\"\n"
         << "set grid lc rgb '#dddddd'\nset key opaque box lc rgb '#cccccc' spacing 1.2\n"
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
