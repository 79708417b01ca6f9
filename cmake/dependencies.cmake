# What comes from Debian is found as Debian ships it; librdkafka comes from the project's own prefix,
# which scripts/install-deps fills.
find_package(absl REQUIRED)
find_package(spdlog REQUIRED)
find_package(PostgreSQL REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(PCRE2 REQUIRED IMPORTED_TARGET libpcre2-8)
pkg_check_modules(PROMETHEUS REQUIRED IMPORTED_TARGET prometheus-cpp-core)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)

set(POSTRIDER_LIBRDKAFKA_PREFIX "${PROJECT_SOURCE_DIR}/.deps/librdkafka" CACHE PATH "Where librdkafka is installed")
find_library(RDKAFKA_LIBRARY NAMES librdkafka.a PATHS "${POSTRIDER_LIBRDKAFKA_PREFIX}/lib" NO_DEFAULT_PATH)
find_path(RDKAFKA_INCLUDE_DIR NAMES librdkafka/rdkafka.h PATHS "${POSTRIDER_LIBRDKAFKA_PREFIX}/include" NO_DEFAULT_PATH)
if(NOT RDKAFKA_LIBRARY OR NOT RDKAFKA_INCLUDE_DIR)
  message(FATAL_ERROR
    "librdkafka is not in ${POSTRIDER_LIBRDKAFKA_PREFIX}: run scripts/install-deps. Debian's own package (2.0.2) is not used: "
    "with idempotence on it raises spurious fatal errors when a broker restarts (mended in 2.3.0) and fails the queued records of a "
    "topic that a restarted broker does not know for a moment (mended in 2.10.0).")
endif()
file(STRINGS "${RDKAFKA_INCLUDE_DIR}/librdkafka/rdkafka.h" _version REGEX "#define RD_KAFKA_VERSION ")
string(REGEX MATCH "0x[0-9a-fA-F]+" _version "${_version}")
math(EXPR _version "${_version}")
if(_version LESS 0x020a01ff)
  message(FATAL_ERROR "librdkafka in ${POSTRIDER_LIBRDKAFKA_PREFIX} is older than 2.10.1, whose faults lose time or "
                      "records: run scripts/install-deps, which builds 2.15.1.")
endif()

find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(SASL REQUIRED IMPORTED_TARGET libsasl2)
# Imported as a static library, so that what it needs comes after it on every link line.
add_library(rdkafka STATIC IMPORTED GLOBAL)
set_target_properties(rdkafka PROPERTIES IMPORTED_LOCATION "${RDKAFKA_LIBRARY}"
                                         INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${RDKAFKA_INCLUDE_DIR}"
                                         INTERFACE_INCLUDE_DIRECTORIES "${RDKAFKA_INCLUDE_DIR}")
target_link_libraries(rdkafka INTERFACE OpenSSL::SSL OpenSSL::Crypto ZLIB::ZLIB CURL::libcurl PkgConfig::ZSTD PkgConfig::SASL
                                        Threads::Threads m dl)
