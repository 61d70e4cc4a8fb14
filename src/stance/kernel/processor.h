#pragma once

namespace stance::kernel {

// Ends the program when the processor lacks instructions that the library was built for.
void check_processor();

// Prints both texts and ends the program with exit code 3.
[[noreturn]] void end_unfit(const char* first, const char* second);

}  // namespace stance::kernel
