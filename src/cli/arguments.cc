#include "cli/arguments.h"

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/nearest_name.h"
#include "base/text.h"
#include "cli/help.h"

namespace postrider::cli {
namespace {

absl::Status Usage(std::string_view text) {
  return MakeFault(Fault::kConfiguration, absl::StrCat(View(text), "; see postrider --help"));
}

absl::Status UnknownWord(std::string_view what, std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view nearest = NearestName(word, known);
  return Usage(absl::StrCat(View(what), " \"", View(word), "\" is not known",
                            View(nearest.empty() ? "" : ": did you mean "), View(nearest)));
}

absl::Status TakeOverride(std::string_view text, Arguments& arguments) {
  const size_t equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) return Usage("--set takes KEY=VALUE");
  arguments.overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Arguments> ParseArguments(const std::vector<std::string>& words) {
  Arguments arguments;
  bool options = true;
  for (size_t index = 0; index < words.size(); ++index) {
    const std::string_view word = words[index];
    absl::Status status;
    if (options && word == "--") {
      options = false;
    } else if (options && (word == "--help" || word == "-h")) {
      arguments.help = true;
    } else if (options && word == "--version") {
      arguments.command = "version";
    } else if (options && word == "--accept-gap") {
      arguments.accept_gap = true;
    } else if (options && word == "--set") {
      if (++index == words.size()) return Usage("--set takes KEY=VALUE");
      status = TakeOverride(words[index], arguments);
    } else if (options && word.starts_with("--set=")) {
      status = TakeOverride(word.substr(6), arguments);
    } else if (options && word.size() > 1 && word.starts_with('-')) {
      status = UnknownWord("the option", word, {"--set", "--accept-gap", "--help", "--version"});
    } else if (arguments.command.empty()) {
      arguments.command = word;
      std::vector<std::string_view> names;
      for (const Command& command : Commands()) names.push_back(command.name);
      if (FindCommand(word) == nullptr) status = UnknownWord("the command", word, names);
    } else {
      arguments.files.emplace_back(word);
    }
    if (!status.ok()) return status;
  }
  if (arguments.accept_gap && arguments.command != "run") return Usage("--accept-gap is an option of run");
  if (arguments.command.empty() && !arguments.help) return Usage("no command given");
  return arguments;
}

}  // namespace postrider::cli
