#include "config/settings.h"

#include <utility>

#include "config/text.h"

namespace postrider::config {

std::string Origin::ToString() const {
  switch (kind) {
    case Kind::kEnvironment:
      return Cat("environment ", name);
    case Kind::kSet:
      return "--set";
    case Kind::kFile:
      break;
  }
  const std::string_view file_name = name == "-" ? std::string_view("standard input") : std::string_view(name);
  return line > 0 ? Cat(file_name, ":", line) : std::string(file_name);
}

void Settings::Put(Setting setting) {
  const auto [position, inserted] = index_.try_emplace(setting.key, settings_.size());
  if (inserted) {
    settings_.push_back(std::move(setting));
  } else {
    settings_[position->second] = std::move(setting);
  }
}

const Setting* Settings::Find(std::string_view key) const {
  const auto position = index_.find(key);
  return position == index_.end() ? nullptr : &settings_[position->second];
}

Setting* Settings::Find(std::string_view key) {
  const auto position = index_.find(key);
  return position == index_.end() ? nullptr : &settings_[position->second];
}

}  // namespace postrider::config
