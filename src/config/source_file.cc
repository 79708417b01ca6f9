#include "config/source_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "absl/cleanup/cleanup.h"
#include "base/fault.h"
#include "config/connect_json.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

absl::Status ErrnoStatus(int error) {
  switch (error) {
    case ENOENT:
      return absl::NotFoundError("does not exist");
    case EACCES:
      return absl::PermissionDeniedError("may not be read by this user");
    case EISDIR:
      return absl::InvalidArgumentError("is a directory");
    default:
      return absl::UnavailableError(Cat("cannot be read: ", std::generic_category().message(error)));
  }
}

absl::StatusOr<std::string> ReadAll(int fd) {
  std::string text;
  char buffer[16 * 1024];
  for (;;) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno);
    if (got == 0) return text;
    text.append(buffer, static_cast<size_t>(got));
    if (text.size() > kFileBytesMax) return absl::InvalidArgumentError(Cat("is larger than ", kFileBytesMax, " bytes"));
  }
}

bool IsJson(const std::string& path, std::string_view text) {
  if (path.ends_with(".json")) return true;
  if (path.ends_with(".properties")) return false;
  return Trim(text).starts_with("{");
}

absl::Status Named(const std::string& path, const absl::Status& status) {
  const std::string name = path == "-" ? "standard input" : path;
  // The parsers begin with "line N".
  std::string_view what = MessageOf(status);
  const std::string_view separator = ConsumePrefix(what, "line ") ? ":" : " ";
  return MakeFault(Fault::kConfiguration, Cat(name, separator, what));
}

}  // namespace

absl::StatusOr<std::string> ReadSmallFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ErrnoStatus(errno);
  absl::Cleanup close_file = [fd] { close(fd); };
  struct stat info {};
  if (fstat(fd, &info) != 0) return ErrnoStatus(errno);
  if (S_ISDIR(info.st_mode)) return ErrnoStatus(EISDIR);
  return ReadAll(fd);
}

absl::StatusOr<std::vector<Entry>> ParseSource(const std::string& path, std::string_view text) {
  ConsumePrefix(text, kByteOrderMark);
  absl::StatusOr<std::vector<Entry>> entries = IsJson(path, text) ? ParseConnectJson(text) : ParseProperties(text);
  if (!entries.ok()) return Named(path, entries.status());
  return entries;
}

absl::StatusOr<std::vector<Entry>> ReadSourceFile(const std::string& path) {
  absl::StatusOr<std::string> text = path == "-" ? ReadAll(STDIN_FILENO) : ReadSmallFile(path);
  if (!text.ok()) return Named(path, text.status());
  return ParseSource(path, *text);
}

}  // namespace postrider::config
