#include "base/java_class.h"

#include <algorithm>
#include <array>
#include <span>

namespace postrider {
namespace {

using namespace std::string_view_literals;

constexpr JavaClass kPredefined[] = {
    {"d", U"09"},
    {"w", U"09AZ__az"},
    {"s", U"\t\r  "},
    {"h", U"\t\t  \xa0\xa0\u1680\u1680\u180e\u180e\u2000\u200a\u202f\u202f\u205f\u205f\u3000\u3000"},
    {"v", U"\n\r\x85\x85\u2028\u2029"},
};
constexpr JavaClass kAsciiProperties[] = {
    {"Lower", U"az"},     {"Upper", U"AZ"},     {"ASCII", U"\0\x7f"sv},         {"Alpha", U"AZaz"},
    {"Digit", U"09"},     {"Alnum", U"09AZaz"}, {"Punct", U"!/:@[`{~"},         {"Graph", U"!~"},
    {"Print", U" ~"},     {"Blank", U"\t\t  "}, {"Cntrl", U"\0\x1f\x7f\x7f"sv}, {"XDigit", U"09AFaf"},
    {"Space", U"\t\r  "},
};
constexpr std::array<std::string_view, 37> kGeneralCategories = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd", "Nl", "No", "P",  "Pc", "Pd", "Ps",
    "Pe", "Pi", "Pf", "S",  "Sm", "Sc", "Sk", "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Cs", "Co", "Cn"};
constexpr std::array<std::string_view, 5> kCasedProperties = {"Lower", "Upper", "Lu", "Ll", "Lt"};

template <typename List>
bool Contains(const List& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const JavaClass* Find(std::span<const JavaClass> classes, std::string_view name) {
  const auto found = std::find_if(classes.begin(), classes.end(), [&](const auto& each) { return each.name == name; });
  return found == classes.end() ? nullptr : &*found;
}

}  // namespace

const JavaClass* FindPredefinedClass(char name) {
  return Find(kPredefined, std::string_view(&name, 1));
}
const JavaClass* FindAsciiProperty(std::string_view name) {
  return Find(kAsciiProperties, name);
}
bool IsGeneralCategory(std::string_view name) {
  return Contains(kGeneralCategories, name);
}
bool IsCasedProperty(std::string_view name) {
  return Contains(kCasedProperties, name);
}

}  // namespace postrider
