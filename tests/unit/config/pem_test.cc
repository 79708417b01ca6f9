#include "config/pem.h"

#include <gtest/gtest.h>

namespace postrider::config {
namespace {

TEST(Pem, WrapsWhatJavaTakesOnOneLine) {
  const std::string base64(70, 'A');
  EXPECT_EQ(NormalizePem("-----BEGIN CERTIFICATE----- " + base64 + " BB== -----END CERTIFICATE-----"),
            "-----BEGIN CERTIFICATE-----\n" + std::string(64, 'A') + "\nAAAAAABB==\n-----END CERTIFICATE-----\n");
}

TEST(Pem, KeepsAllBlocks) {
  EXPECT_EQ(NormalizePem("x -----BEGIN A-----\nAAA=\n-----END A-----\n-----BEGIN B-----BBB=-----END B-----"),
            "-----BEGIN A-----\nAAA=\n-----END A-----\n-----BEGIN B-----\nBBB=\n-----END B-----\n");
}

TEST(Pem, LeavesOtherTextAlone) {
  EXPECT_EQ(NormalizePem("no certificate"), "no certificate");
  EXPECT_EQ(NormalizePem("-----BEGIN A-----\nAAA="), "-----BEGIN A-----\nAAA=");
  const std::string legacy =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAA=\n-----END RSA PRIVATE KEY-----";
  EXPECT_EQ(NormalizePem(legacy), legacy + "\n");
}

TEST(Pem, SniffsStores) {
  EXPECT_EQ(SniffStore("\xFE\xED\xFE\xED rest"), StoreKind::kJks);
  EXPECT_EQ(SniffStore("\xCE\xCE\xCE\xCE rest"), StoreKind::kJks);
  EXPECT_EQ(SniffStore("\x30\x82\x01"), StoreKind::kPkcs12);
  EXPECT_EQ(SniffStore("# comment\n-----BEGIN CERTIFICATE-----"), StoreKind::kPem);
  EXPECT_EQ(SniffStore("hello"), StoreKind::kUnknown);
}

}  // namespace
}  // namespace postrider::config
