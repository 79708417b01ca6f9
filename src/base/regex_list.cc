#include "base/regex_list.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"

namespace postrider {
namespace {

void AddItem(std::string_view item, std::vector<std::string>& items) {
  const absl::string_view trimmed = absl::StripAsciiWhitespace(View(item));
  if (!trimmed.empty()) items.push_back(absl::StrReplaceAll(trimmed, {{"\\,", ","}}));
}

}  // namespace

std::vector<std::string> SplitRegexList(std::string_view list) {
  std::vector<std::string> items;
  size_t begin = 0;
  for (size_t at = 0; at < list.size(); ++at) {
    if (list[at] == '\\') {
      ++at;
    } else if (list[at] == ',') {
      AddItem(list.substr(begin, at - begin), items);
      begin = at + 1;
    }
  }
  AddItem(list.substr(begin), items);
  return items;
}

}  // namespace postrider
