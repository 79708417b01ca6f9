// The commands, one file each: what `postrider COMMAND` does. The table of their names and help is cli/help.h.
//
// Each takes the parsed command line and answers the exit code. Output goes to stdout, a refusal to stderr as one line.
#pragma once

#include "cli/arguments.h"

namespace postrider::commands {

// What a command does; null for a name that has none.
using Handler = int (*)(const cli::Arguments& arguments);
Handler FindHandler(std::string_view name);

int Check(const cli::Arguments& arguments);
int Config(const cli::Arguments& arguments);
int Handback(const cli::Arguments& arguments);
int Health(const cli::Arguments& arguments);
int Held(const cli::Arguments& arguments);
int Monitor(const cli::Arguments& arguments);
int Pause(const cli::Arguments& arguments);
int Resume(const cli::Arguments& arguments);
int Run(const cli::Arguments& arguments);
int Setup(const cli::Arguments& arguments);
int Status(const cli::Arguments& arguments);
int Tail(const cli::Arguments& arguments);
int Version(const cli::Arguments& arguments);

}  // namespace postrider::commands
