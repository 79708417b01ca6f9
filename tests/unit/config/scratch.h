// For tests of config/: files in a folder of their own, and a configuration that needs nothing more.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/load.h"
#include "config/settings.h"

namespace postrider::config {

// Settings as if a file had given them, in this order.
inline Settings SettingsOf(std::initializer_list<std::pair<std::string, std::string>> pairs) {
  Settings settings;
  for (const auto& [key, value] : pairs) {
    Setting setting;
    setting.key = key;
    setting.raw = setting.value = value;
    settings.Put(std::move(setting));
  }
  return settings;
}

// A folder that goes with the test.
class Scratch {
 public:
  Scratch() {
    std::string name = ::testing::TempDir() + "postrider-config-XXXXXX";
    folder_ = mkdtemp(name.data());
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  std::string Path(const std::string& name) const { return folder_ + "/" + name; }
  std::string Write(const std::string& name, std::string_view text) const {
    std::ofstream(Path(name), std::ios::binary) << text;
    return Path(name);
  }

 private:
  std::string folder_;
};

// What every configuration must have, as a .properties file.
inline constexpr std::string_view kMinimal =
    "database.hostname=db\n"
    "database.user=relay\n"
    "database.dbname=shop\n"
    "bootstrap.servers=kafka:9092\n"
    "transforms=outbox\n"
    "transforms.outbox.type=io.debezium.transforms.outbox.EventRouter\n"
    "key.converter=org.apache.kafka.connect.storage.StringConverter\n"
    "value.converter=org.apache.kafka.connect.storage.StringConverter\n";

using Environment = std::vector<std::pair<std::string, std::string>>;

// The minimal file, a second one with `text`, and variables.
inline absl::StatusOr<Loaded> LoadWith(std::string_view text, Environment environment = {}) {
  const Scratch scratch;
  return Load({.files = {scratch.Write("base.properties", kMinimal), scratch.Write("more.properties", text)},
               .overrides = {},
               .environment = std::move(environment)});
}

inline Inspection InspectWith(std::string_view text, Environment environment = {}) {
  const Scratch scratch;
  return Inspect({.files = {scratch.Write("base.properties", kMinimal), scratch.Write("more.properties", text)},
                  .overrides = {},
                  .environment = std::move(environment)});
}

// What Load says of the minimal file with `text`: the sentence, or empty where it is accepted.
inline std::string ErrorWith(std::string_view text, Environment environment = {}) {
  const absl::StatusOr<Loaded> loaded = LoadWith(text, std::move(environment));
  return loaded.ok() ? "" : std::string(loaded.status().message());
}

inline std::string WarningsWith(std::string_view text, Environment environment = {}) {
  std::string all;
  for (const std::string& warning : InspectWith(text, std::move(environment)).warnings) all += warning + "\n";
  return all;
}

inline const KeyReport* FindReport(const std::vector<KeyReport>& keys, std::string_view key) {
  for (const KeyReport& report : keys)
    if (report.key == key) return &report;
  return nullptr;
}

}  // namespace postrider::config
