#pragma once

// The five methods in twenty contact situations (A10, figure 3 of paper A).

#include <string>
#include <vector>

#include "stance/model/model.h"

#include "record.h"

namespace stance::bench {

struct SituationResult {
  std::string name;
  int bodies = 0, points = 0;
  double disagreement = 0.0;  // the worst of all methods, Omega and Lambda
  Record omega, lambda;       // ours, the other methods as peers
};

// An empty list when the robot has not the links of our humanoid.
std::vector<SituationResult> measure_situations(const model::Model& model,
                                                const std::vector<double>& q, int repeats);

void print_situations(const std::vector<SituationResult>& results);
void append_json(const std::vector<SituationResult>& results, Json& list);
void plot_situations(const std::vector<SituationResult>& results, const std::string& file);

}  // namespace stance::bench
