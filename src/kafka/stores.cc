#include "kafka/stores.h"

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/fault.h"
#include "base/text.h"

namespace postrider::kafka {
namespace {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
void FreeCertificates(STACK_OF(X509) * certificates) {
  sk_X509_pop_free(certificates, X509_free);
}

using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Library = std::unique_ptr<OSSL_LIB_CTX, Freer<OSSL_LIB_CTX_free>>;
using Provider = std::unique_ptr<OSSL_PROVIDER, Freer<OSSL_PROVIDER_unload>>;
using Store = std::unique_ptr<PKCS12, Freer<PKCS12_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freer<X509_free>>;
using Certificates = std::unique_ptr<STACK_OF(X509), Freer<FreeCertificates>>;

// What a store holds. Keys and certificates refer to the library context that made them.
struct Contents {
  Library library;
  Provider standard, legacy;
  Key key;
  Certificate leaf;  // the key's
  Certificates others;
};

std::string OpensslReason() {
  std::array<char, 256> text{};
  ERR_error_string_n(ERR_peek_last_error(), text.data(), text.size());
  ERR_clear_error();
  return text.data();
}

absl::StatusOr<Contents> Open(const std::string& path, const config::Secret& password_source, const std::string& key) {
  const auto fault = [&](std::string_view what) {
    return MakeFault(Fault::kConfiguration, absl::StrCat(key, ": ", path, " ", View(what)));
  };
  absl::StatusOr<std::string> password = password_source.Read();
  if (!password.ok()) return fault(absl::StrCat("needs a password that cannot be read: ", password.status().message()));

  Contents contents;
  // A library context of its own, so that no old algorithm is let into the rest of the program.
  contents.library.reset(OSSL_LIB_CTX_new());
  contents.standard.reset(OSSL_PROVIDER_load(contents.library.get(), "default"));
  contents.legacy.reset(OSSL_PROVIDER_load(contents.library.get(), "legacy"));
  ERR_clear_error();

  const Bio file(BIO_new_file(path.c_str(), "rb"));
  if (!file) {
    const int error = errno;
    ERR_clear_error();
    return fault(absl::StrCat("cannot be opened: ", std::strerror(error)));
  }
  PKCS12* store = PKCS12_init_ex(NID_pkcs7_data, contents.library.get(), nullptr);
  const Store holder(store && d2i_PKCS12_bio(file.get(), &store) ? store : nullptr);
  if (!holder) {
    ERR_clear_error();
    return fault("is no PKCS12 store");
  }
  EVP_PKEY* pkey = nullptr;
  X509* leaf = nullptr;
  STACK_OF(X509)* others = nullptr;
  const int parsed = PKCS12_parse(holder.get(), password->c_str(), &pkey, &leaf, &others);
  Wipe(*password);
  if (parsed != 1) {
    const bool wrong = ERR_GET_REASON(ERR_peek_last_error()) == PKCS12_R_MAC_VERIFY_FAILURE;
    const std::string reason = OpensslReason();
    if (wrong) return fault("does not open with the password that is configured");
    return fault(
        absl::StrCat("cannot be read (", reason,
                     "); where it was made by an old Java, make it anew: keytool -importkeystore -srckeystore ", path,
                     " -destkeystore NEW -deststoretype PKCS12"));
  }
  contents.key.reset(pkey);
  contents.leaf.reset(leaf);
  contents.others.reset(others);
  return contents;
}

std::string Text(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<size_t>(size));
  OPENSSL_cleanse(data, static_cast<size_t>(size));
  return text;
}

int Count(const Certificates& certificates) {
  return certificates ? sk_X509_num(certificates.get()) : 0;
}

// The leaf, then each one's issuer, as TLS wants them.
std::string ChainPem(const Contents& contents) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), contents.leaf.get());
  std::vector<X509*> rest;
  rest.reserve(static_cast<size_t>(Count(contents.others)));
  for (int i = 0; i < Count(contents.others); ++i) rest.push_back(sk_X509_value(contents.others.get(), i));
  for (X509* last = contents.leaf.get(); last && !rest.empty();) {
    const auto issuer = std::find_if(
        rest.begin(), rest.end(), [last](X509* candidate) { return X509_check_issued(candidate, last) == X509_V_OK; });
    if (issuer == rest.end()) break;
    last = *issuer;
    rest.erase(issuer);
    PEM_write_bio_X509(bio.get(), last);
  }
  return Text(bio.get());
}

std::string KeyPem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return Text(bio.get());
}

}  // namespace

void Wipe(std::string& secret) {
  OPENSSL_cleanse(secret.data(), secret.size());
}

absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadStores(const config::Producer& config) {
  std::vector<std::pair<std::string, std::string>> properties;
  if (config.truststore_pkcs12) {
    const auto& [path, password] = *config.truststore_pkcs12;
    absl::StatusOr<Contents> contents = Open(path, password, "ssl.truststore.location");
    if (!contents.ok()) return contents.status();
    const Bio bio(BIO_new(BIO_s_mem()));
    if (contents->leaf) PEM_write_bio_X509(bio.get(), contents->leaf.get());
    for (int i = 0; i < Count(contents->others); ++i)
      PEM_write_bio_X509(bio.get(), sk_X509_value(contents->others.get(), i));
    std::string pem = Text(bio.get());
    if (pem.empty())
      return MakeFault(Fault::kConfiguration, absl::StrCat("ssl.truststore.location: ", path, " holds no certificate"));
    properties.emplace_back("ssl.ca.pem", std::move(pem));
  }
  if (config.keystore_pkcs12) {
    const auto& [path, password] = *config.keystore_pkcs12;
    absl::StatusOr<Contents> contents = Open(path, password, "ssl.keystore.location");
    if (!contents.ok()) return contents.status();
    if (!contents->key || !contents->leaf) {
      return MakeFault(Fault::kConfiguration,
                       absl::StrCat("ssl.keystore.location: ", path, " holds no private key with its certificate"));
    }
    properties.emplace_back("ssl.certificate.pem", ChainPem(*contents));
    properties.emplace_back("ssl.key.pem", KeyPem(contents->key.get()));
  }
  return properties;
}

}  // namespace postrider::kafka
