#include "cli/arguments.h"

#include <algorithm>

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

// The options of one command's own come before or behind its name: which are its own is known in the end.
absl::Status CheckFlags(const Arguments& arguments) {
  const Command* command = FindCommand(arguments.command);
  for (const std::string& flag : arguments.flags) {
    if (command != nullptr && std::ranges::find(command->flags, flag) != command->flags.end()) continue;
    std::vector<std::string_view> known = {"--set", "--help", "--version"};
    for (const Command& other : Commands()) {
      if (std::ranges::find(other.flags, flag) != other.flags.end())
        return Usage(absl::StrCat(flag, " is an option of ", View(other.name)));
      known.insert(known.end(), other.flags.begin(), other.flags.end());
    }
    return UnknownWord("the option", flag, known);
  }
  return absl::OkStatus();
}

}  // namespace

bool Arguments::Has(std::string_view flag) const {
  return std::ranges::find(flags, flag) != flags.end();
}

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
    } else if (options && word == "--set") {
      if (++index == words.size()) return Usage("--set takes KEY=VALUE");
      status = TakeOverride(words[index], arguments);
    } else if (options && word.starts_with("--set=")) {
      status = TakeOverride(word.substr(6), arguments);
    } else if (options && word.size() > 1 && word.starts_with('-')) {
      arguments.flags.emplace_back(word);
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
  if (absl::Status status = CheckFlags(arguments); !status.ok()) return status;
  if (arguments.command.empty() && !arguments.help) return Usage("no command given");
  return arguments;
}

}  // namespace postrider::cli
