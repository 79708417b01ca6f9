#include "check/evidence_place.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "absl/strings/str_cat.h"

namespace postrider::check {

Findings CheckEvidencePlace(const config::Evidence& evidence) {
  constexpr char kName[] = "evidence_place";
  if (!evidence.topic.empty()) return {};
  std::error_code ignored;
  const bool there = std::filesystem::exists(evidence.file, ignored);
  const std::filesystem::path folder = std::filesystem::path(evidence.file).parent_path();
  const std::string folder_name = folder.empty() ? "." : folder.string();
  const bool kept =
      there ? access(evidence.file.c_str(), R_OK | W_OK) == 0 : access(folder_name.c_str(), W_OK | X_OK) == 0;
  if (kept) return {Pass(kName, absl::StrCat("the evidence record can be kept in ", evidence.file))};
  const std::string why = std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): one thread
  const std::string text =
      absl::StrCat("the evidence record cannot be kept in ", evidence.file, " by this user (", why, ")");
  const std::string remedy =
      there ? absl::StrCat("chown USER ", evidence.file) : absl::StrCat("install -d -o USER -m 0750 ", folder_name);
  if (evidence.required) return {Failure(kName, Fault::kConfiguration, text, remedy)};
  return {Warning(kName, text + ": a slot that is lost would look like a first start", remedy)};
}

}  // namespace postrider::check
