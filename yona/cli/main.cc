#include "yona/cli/program.h"

int main(int count, char** arguments) { return yona::cli::run_program(count, arguments); }
