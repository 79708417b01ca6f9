// The stores under data/ were made by keytool (data/make-stores).
#include "kafka/stores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/provider.h>
#include <openssl/x509.h>

#include <memory>

#include "base/fault.h"

namespace postrider::kafka {
namespace {

using testing::HasSubstr;

std::string Data(const char* name) {
  return std::string(POSTRIDER_TEST_DATA) + "/data/" + name;
}

config::Producer WithTruststore(const std::string& path, const char* password) {
  config::Producer config;
  config.truststore_pkcs12.emplace(path, config::Secret::Plain(password));
  return config;
}

config::Producer WithKeystore(const std::string& path, const char* password) {
  config::Producer config;
  config.keystore_pkcs12.emplace(path, config::Secret::Plain(password));
  return config;
}

// The common names of the certificates in a PEM text, in order.
std::vector<std::string> NamesIn(const std::string& pem) {
  std::vector<std::string> names;
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())),
                                                          BIO_free_all);
  while (X509* certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)) {
    char name[128] = "";
    X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, name, sizeof name);
    names.emplace_back(name);
    X509_free(certificate);
  }
  return names;
}

void ExpectFault(const config::Producer& config, const char* text) {
  const auto properties = ReadStores(config);
  ASSERT_FALSE(properties.ok());
  EXPECT_EQ(FaultOf(properties.status()), Fault::kConfiguration);
  EXPECT_THAT(std::string(properties.status().message()), HasSubstr(text));
  EXPECT_THAT(std::string(properties.status().message()), testing::Not(HasSubstr("hunter2")));
}

TEST(Stores, NoStoresNoProperties) {
  EXPECT_TRUE(ReadStores(config::Producer{})->empty());
}

TEST(Stores, ATruststoreOfJava17) {
  const auto properties = ReadStores(WithTruststore(Data("truststore.p12"), "secret"));
  ASSERT_TRUE(properties.ok()) << properties.status();
  ASSERT_EQ(properties->size(), 1u);
  EXPECT_EQ(properties->front().first, "ssl.ca.pem");
  EXPECT_EQ(NamesIn(properties->front().second), (std::vector<std::string>{"Test Root"}));
}

TEST(Stores, ATruststoreOfJava8NeedsTheLegacyProvider) {
  OSSL_PROVIDER* legacy = OSSL_PROVIDER_try_load(nullptr, "legacy", 1);
  if (!legacy) GTEST_SKIP() << "OpenSSL's legacy provider is not installed";
  OSSL_PROVIDER_unload(legacy);
  const auto properties = ReadStores(WithTruststore(Data("truststore-java8.p12"), "secret"));
  ASSERT_TRUE(properties.ok()) << properties.status();
  EXPECT_EQ(NamesIn(properties->front().second), (std::vector<std::string>{"Test Root"}));
}

TEST(Stores, AKeystoreGivesLeafIntermediateAndKey) {
  const auto properties = ReadStores(WithKeystore(Data("client.p12"), "secret"));
  ASSERT_TRUE(properties.ok()) << properties.status();
  ASSERT_EQ(properties->size(), 2u);
  EXPECT_EQ((*properties)[0].first, "ssl.certificate.pem");
  EXPECT_EQ(NamesIn((*properties)[0].second), (std::vector<std::string>{"client", "Test Intermediate"}));
  EXPECT_EQ((*properties)[1].first, "ssl.key.pem");
  EXPECT_THAT((*properties)[1].second, HasSubstr("BEGIN PRIVATE KEY"));
}

TEST(Stores, WhatIsWrongIsSaid) {
  ExpectFault(WithTruststore(Data("absent.p12"), "secret"), "absent.p12 cannot be opened: No such file");
  ExpectFault(WithTruststore(Data("truststore.p12"), "hunter2"), "does not open with the password");
  ExpectFault(WithTruststore(Data("make-stores"), "secret"), "is no PKCS12 store");
  ExpectFault(WithKeystore(Data("truststore.p12"), "secret"), "holds no private key");
}

TEST(Stores, WipeOverwrites) {
  std::string secret = "hunter2";
  Wipe(secret);
  EXPECT_EQ(secret, std::string(7, '\0'));
}

}  // namespace
}  // namespace postrider::kafka
