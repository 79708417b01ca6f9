// postrider config: what each key became.
#include <iostream>

#include "commands/commands.h"
#include "commands/start.h"
#include "config/report.h"

namespace postrider::commands {

int Config(const cli::Arguments& arguments) {
  const config::Inspection inspection = config::Inspect(SourcesOf(arguments));
  std::cout << config::FormatReport(inspection) << std::flush;
  return inspection.status.ok() ? 0 : Refuse(inspection.status);
}

}  // namespace postrider::commands
