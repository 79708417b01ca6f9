// src/config/evidence.cc
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scratch.h"

namespace postrider::config {
namespace {

Evidence EvidenceWith(const std::string& text) {
  const auto loaded = LoadWith("slot.name=orders\n" + text);
  EXPECT_TRUE(loaded.ok()) << loaded.status();
  return loaded.ok() ? loaded->config.evidence : Evidence{};
}

TEST(EvidenceOptions, LiesInTheStateFolderByDefault) {
  const Evidence evidence = EvidenceWith("");
  EXPECT_EQ(evidence.file, "/var/lib/postrider/orders.json");
  EXPECT_FALSE(evidence.required);
}

TEST(EvidenceOptions, LiesBesideConnectsOffsets) {
  EXPECT_EQ(EvidenceWith("offset.storage.file.filename=/data/connect.offsets\n").file, "/data/postrider-orders.json");
  EXPECT_EQ(EvidenceWith("offset.storage.file.filename=connect.offsets\n").file, "postrider-orders.json");
  EXPECT_FALSE(EvidenceWith("offset.storage.file.filename=/data/connect.offsets\n").required);
}

TEST(EvidenceOptions, AWrittenFileWinsAndIsRequired) {
  const Evidence evidence =
      EvidenceWith("postrider.state.file=/state/a.json\noffset.storage.file.filename=/data/connect.offsets\n");
  EXPECT_EQ(evidence.file, "/state/a.json");
  EXPECT_TRUE(evidence.required);
}

}  // namespace
}  // namespace postrider::config
