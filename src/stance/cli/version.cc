#include "stance/cli/version.h"

#include <stance_commit.h>  // written by the build (cmake/write_commit.cmake)

namespace stance::cli {

const char* version_text() { return STANCE_VERSION " (" STANCE_COMMIT ")"; }

}  // namespace stance::cli
