#include "stance/cli/app.h"

int main(int argc, char** argv) { return stance::cli::run(argc, argv); }
