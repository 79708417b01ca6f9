#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "evidence/store.h"

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

class FileStore final : public Store {
 public:
  FileStore(std::string path, const Wakeup* wakeup) : path_(std::move(path)), wakeup_(wakeup) {}
  ~FileStore() override {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      news_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  absl::Status Open();
  absl::StatusOr<bool> MarkHandedBack();
  absl::StatusOr<std::optional<Record>> Read() override;
  void Write(const Record& record, bool anew) override;
  Lsn covered() const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return covered_;
  }
  std::string place() const override { return absl::StrCat("the file ", path_); }

 private:
  struct Wanted {
    Record record;
    bool anew = false;
  };

  void Work();
  absl::Status WriteNow(const Wanted& wanted);
  absl::Status Reopen();
  bool Ahead(const Record& record);

  const std::string path_;
  const Wakeup* const wakeup_;
  std::thread thread_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable news_;
  bool stop_ = false;
  std::optional<Wanted> wanted_;
  Lsn covered_;

  // The thread's own.
  FileDescriptor file_;
};

absl::Status FileStore::Open() {
  if (absl::Status status = Reopen(); !status.ok()) return status;
  thread_ = std::thread([this] { Work(); });
  return absl::OkStatus();
}

// The file may have been removed, or the volume exchanged, since it was opened.
absl::Status FileStore::Reopen() {
  struct stat opened, named;
  if (file_.open() && fstat(file_.get(), &opened) == 0 && stat(path_.c_str(), &named) == 0 &&
      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev)
    return absl::OkStatus();
  file_ = FileDescriptor(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0640));
  if (!file_.open()) return absl::InvalidArgumentError(absl::StrCat(path_, ": ", Errno()));
  return absl::OkStatus();
}

absl::StatusOr<std::optional<Record>> FileStore::Read() {
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

void FileStore::Write(const Record& record, bool anew) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (anew) covered_ = Lsn();
  // A waiting first one is not forgotten for its followers.
  wanted_ = Wanted{record, anew || (wanted_ && wanted_->anew)};
  news_.notify_all();
}

void FileStore::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    news_.wait(lock, [this] { return stop_ || wanted_.has_value(); });
    if (!wanted_) return;
    const Wanted wanted = *std::exchange(wanted_, std::nullopt);
    lock.unlock();
    if (const absl::Status status = WriteNow(wanted); !status.ok()) {
      LogError("evidence_not_written", {{"file", path_}, {"slot", wanted.record.slot}},
               absl::StrCat(status.message(),
                            "; events go on, but a restart may find the slot ahead of this record, "
                            "and will then want --accept-gap"));
    }
    lock.lock();
    if (!wanted_ || !wanted_->anew) covered_ = wanted.record.lsn;
    wakeup_->Ring();
  }
}

bool FileStore::Ahead(const Record& record) {
  const absl::StatusOr<std::optional<Record>> there = Read();
  return there.ok() && there->has_value() && (*there)->system_identifier == record.system_identifier &&
         (*there)->slot == record.slot && (*there)->lsn > record.lsn;
}

absl::Status FileStore::WriteNow(const Wanted& wanted) {
  if (absl::Status status = Reopen(); !status.ok()) return status;
  if (!wanted.anew && Ahead(wanted.record)) return absl::OkStatus();
  std::string text = FormatRecord(wanted.record);
  if (text.size() >= kFileBytes) return absl::InternalError("the record is too long");
  text.resize(kFileBytes - 1, ' ');
  text += '\n';
  if (pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      fdatasync(file_.get()) != 0)
    return absl::UnavailableError(absl::StrCat("writing ", path_, ": ", Errno()));
  return absl::OkStatus();
}

absl::StatusOr<bool> FileStore::MarkHandedBack() {
  absl::StatusOr<std::optional<Record>> record = Read();
  if (!record.ok()) return record.status();
  if (!record->has_value()) return false;
  (*record)->handed_back = true;
  if (absl::Status status = WriteNow({.record = **record, .anew = true}); !status.ok()) return status;
  return true;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Store>> OpenFileStore(const std::string& path, const Wakeup* wakeup) {
  auto store = std::make_unique<FileStore>(path, wakeup);
  if (absl::Status status = store->Open(); !status.ok()) return status;
  return std::unique_ptr<Store>(std::move(store));
}

absl::StatusOr<bool> MarkHandedBack(const std::string& path) {
  const Wakeup nobody;
  return FileStore(path, &nobody).MarkHandedBack();
}

}  // namespace postrider::evidence
