#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "evidence/place.h"

namespace postrider::evidence {
namespace {

// One sector: written over in one piece.
constexpr size_t kFileBytes = 512;

std::string Errno() {
  return std::strerror(errno);  // NOLINT(concurrency-mt-unsafe): glibc's is safe for known errors
}

class FileDescriptor {
 public:
  explicit FileDescriptor(int fd = -1) : fd_(fd) {}
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  bool open() const { return fd_ >= 0; }

 private:
  int fd_;
};

class FilePlace final : public Place {
 public:
  explicit FilePlace(std::string path) : path_(std::move(path)) {}

  absl::Status Open() override;
  absl::StatusOr<std::optional<Record>> Read(const Wakeup& stop) override;
  absl::Status Write(const Record& record, const Wakeup& stop) override;
  std::string name() const override { return absl::StrCat("the file ", path_); }

 private:
  const std::string path_;
  FileDescriptor file_;  // the writer's
};

// The file may have been removed, or the volume exchanged, since it was opened.
absl::Status FilePlace::Open() {
  struct stat opened, named;
  if (file_.open() && fstat(file_.get(), &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
    return absl::OkStatus();
  file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!file_.open()) return absl::InvalidArgumentError(absl::StrCat(path_, ": ", Errno()));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Record>> FilePlace::Read(const Wakeup& /*stop*/) {
  const FileDescriptor file(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file.open() && errno == ENOENT) return std::optional<Record>();
  std::array<char, kFileBytes> bytes;
  const ssize_t size = file.open() ? pread(file.get(), bytes.data(), bytes.size(), 0) : -1;
  if (size < 0) return absl::InvalidArgumentError(Errno());
  if (size == 0) return std::optional<Record>();
  absl::StatusOr<Record> record = ParseRecord({bytes.data(), static_cast<size_t>(size)});
  if (!record.ok()) return record.status();
  return *std::move(record);
}

absl::Status FilePlace::Write(const Record& record, const Wakeup& /*stop*/) {
  if (absl::Status status = Open(); !status.ok()) return status;
  std::string text = FormatRecord(record);
  if (text.size() >= kFileBytes) return absl::InternalError("the record is too long");
  text.resize(kFileBytes - 1, ' ');
  text += '\n';
  if (pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      fdatasync(file_.get()) != 0)
    return absl::FailedPreconditionError(absl::StrCat("writing ", path_, ": ", Errno()));
  return absl::OkStatus();
}

}  // namespace

std::unique_ptr<Place> MakeFilePlace(std::string path) {
  return std::make_unique<FilePlace>(std::move(path));
}

}  // namespace postrider::evidence
