// Java's PKCS12 stores as the PEM texts that librdkafka takes.
//
// A truststore gives `ssl.ca.pem`: all its certificates. A keystore gives `ssl.certificate.pem`, the leaf followed by
// its chain, so that intermediate certificates are sent too, and `ssl.key.pem`, unencrypted: in memory only, to be
// wiped by the caller. Stores of Java 8 are encrypted with algorithms that OpenSSL 3 keeps in its `legacy` provider; it
// is loaded for the reading alone where it is installed. Reads files: may block for a moment. Tested by
// tests/unit/kafka/stores_test.cc with stores made by keytool and OpenSSL.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "config/config.h"

namespace postrider::kafka {

// librdkafka's properties for the stores of `config`; empty where it has none. A fault kConfiguration that names the
// file.
absl::StatusOr<std::vector<std::pair<std::string, std::string>>> ReadStores(const config::Producer& config);

// Overwrites the bytes of a secret that is no longer needed.
void Wipe(std::string& secret);

}  // namespace postrider::kafka
