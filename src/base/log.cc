#include "base/log.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log_line.h"
#include "base/recent_log.h"
#include "base/repeat_filter.h"
#include "base/text.h"
#include "spdlog/async.h"
#include "spdlog/async_logger.h"
#include "spdlog/sinks/base_sink.h"

namespace postrider {
namespace {

constexpr size_t kQueuedLinesMax = 1024;
constexpr size_t kKindSubjectBytesMax = 512;
constexpr std::chrono::seconds kStopTimeout{1};

// Writes to the file descriptor itself: stdio's lock would be held by a writer that the other end of a pipe holds up,
// and exit() waits for that lock.
class DescriptorSink : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
 public:
  explicit DescriptorSink(int fd) : fd_(fd) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    buffer_.assign(message.payload.data(), message.payload.size());
    buffer_.push_back('\n');
    std::string_view rest = buffer_;
    while (!rest.empty()) {
      const ssize_t written = write(fd_, rest.data(), rest.size());
      if (written >= 0) {
        rest.remove_prefix(static_cast<size_t>(written));
      } else if (errno == EAGAIN) {
        pollfd writable{fd_, POLLOUT, 0};
        poll(&writable, 1, /*timeout_ms=*/1000);
      } else if (errno != EINTR) {
        return;  // nobody reads, or the disk is full: the line is lost, and there is no place to say so
      }
    }
  }
  void flush_() override {}

 private:
  const int fd_;
  std::string buffer_;
};

using ThreadPool = std::shared_ptr<spdlog::details::thread_pool>;

// Destroying the pool writes what is queued and joins its thread. Where the other end of the pipe takes nothing, that
// never ends: the thread is then left behind, for the process is about to end.
void Finish(ThreadPool pool) {
  auto done = std::make_shared<std::promise<void>>();
  auto finished = done->get_future();
  std::thread([pool = std::move(pool), done]() mutable {
    pool.reset();
    done->set_value();
  }).detach();
  finished.wait_for(kStopTimeout);
}

class Journal {
 public:
  void Start(LogLevel level, LogFormat format, LogTarget target) {
    Stop();
    const std::lock_guard lock(mutex_);
    level_ = level;
    format_ = format;
    repeats_ = RepeatFilter();
    pool_ = std::make_shared<spdlog::details::thread_pool>(kQueuedLinesMax, /*threads_n=*/1);
    auto sink = std::make_shared<DescriptorSink>(target == LogTarget::kStdout ? STDOUT_FILENO : STDERR_FILENO);
    logger_ = std::make_shared<spdlog::async_logger>("postrider", std::move(sink), pool_,
                                                     spdlog::async_overflow_policy::overrun_oldest);
  }

  void SetLevel(LogLevel level) {
    const std::lock_guard lock(mutex_);
    level_ = level;
  }

  void Stop() {
    ThreadPool pool;
    {
      const std::lock_guard lock(mutex_);
      pool = std::move(pool_);
      pool_ = nullptr;
      logger_ = nullptr;
    }
    if (pool) Finish(std::move(pool));
  }

  std::vector<std::string> Troubles() {
    const std::lock_guard lock(mutex_);
    return {troubles_.begin(), troubles_.end()};
  }

  // The lock is held for microseconds: the queue takes a line without waiting for the writing thread.
  void Write(LogLine line, std::string_view kind) {
    const std::lock_guard lock(mutex_);
    if (!logger_ || line.level < level_) return;
    const auto repeated = repeats_.Admit(kind, std::chrono::steady_clock::now());
    if (!repeated) return;
    line.repeated = *repeated;
    if (line.level >= LogLevel::kWarning) {
      troubles_.push_back(FormatJson(line));
      if (troubles_.size() > kRecentLinesMax) troubles_.pop_front();
    }
    const std::string text = format_ == LogFormat::kText ? FormatText(line) : FormatJson(line);
    logger_->log(spdlog::level::info, spdlog::string_view_t(text));
  }

 private:
  // Not absl::Mutex: Debian's abseil and spdlog libraries are not built for ThreadSanitizer, which then sees no locks.
  std::mutex mutex_;
  // Guarded by mutex_.
  LogLevel level_ = LogLevel::kInfo;
  LogFormat format_ = LogFormat::kText;
  RepeatFilter repeats_;
  std::deque<std::string> troubles_;
  ThreadPool pool_;
  std::shared_ptr<spdlog::async_logger> logger_;
};

// What makes two lines repeats of each other.
std::string KindOf(LogLevel level, std::string_view event, std::initializer_list<LogField> fields,
                   std::string_view text) {
  std::string_view subject = text;
  std::string_view state;
  for (const LogField& field : fields) {
    if (field.key == "key") subject = field.value;
    if (field.key == "state") state = field.value;
  }
  subject = subject.substr(0, kKindSubjectBytesMax);
  return absl::StrCat(static_cast<int>(level), " ", View(event), " ", View(state), " ", View(subject));
}

// Never destroyed: a thread that is left behind, or that logs while the process ends, still finds it.
Journal& TheJournal() {
  static auto* journal = new Journal;
  return *journal;
}

}  // namespace

void StartLog(LogLevel level, LogFormat format, LogTarget target) {
  TheJournal().Start(level, format, target);
}

void SetLogLevel(LogLevel level) {
  TheJournal().SetLevel(level);
}

void StopLog() {
  TheJournal().Stop();
}

std::vector<std::string> RecentTroubles() {
  return TheJournal().Troubles();
}

void Log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields, std::string_view text) {
  TheJournal().Write({std::chrono::system_clock::now(), level, event, fields, /*repeated=*/0, text},
                     KindOf(level, event, fields, text));
}

}  // namespace postrider
