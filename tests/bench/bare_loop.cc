// The limit: what libpq and librdkafka can do with next to nothing between them. No code of Postrider is in it.
//
//   bare_loop --database CONNINFO --slot NAME --publication NAME [--kafka BROKERS --topic PREFIX]
//             [--pace never|gulp|drained] [--end LSN] [-X NAME=VALUE]...
//
// Reads pgoutput, takes the columns of sql/01-outbox.sql by their position, produces (key, value, header id) to
// PREFIX.<aggregatetype> with acks=all and idempotence, and confirms a transaction once its records and all before
// them are acknowledged. Without --kafka nothing is published, and what was received is confirmed. With --end it leaves
// when it has received that position, and prints rows, reads, seconds (from the first message to the last commit) and
// CPU seconds as JSON.
//
// --pace: when it pauses for 300 us before it reads on, if less than 16 kB wait in the socket (the values of
// relay/runner.cc; test_figures.py compares). `never`; `gulp`: after each read that brought something; `drained`:
// only after a read that brought nothing, as Postrider does, whose pass goes on while reads bring messages.
#include <libpq-fe.h>
#include <librdkafka/rdkafka.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

constexpr size_t kPauseBelowBytes = 16 * 1024;
constexpr long kPauseNanos = 300'000;
constexpr int kReadsPerPass = 100;  // so that reports and statuses are never late
constexpr int64_t kStatusEveryNanos = 1'000'000'000;
enum Column : size_t { kId, kAggregateType, kAggregateId, kType, kPayload, kColumns };

[[noreturn]] void Die(const std::string& what) {
  std::fprintf(stderr, "bare_loop: %s\n", what.c_str());
  std::exit(1);
}

int64_t Now(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

// A position in a message; integers are big-endian.
struct Reader {
  std::string_view bytes;

  std::string_view Take(size_t size) {
    if (size > bytes.size()) Die("a message is cut short");
    const std::string_view taken = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return taken;
  }
  uint64_t Int(size_t size) {
    uint64_t value = 0;
    for (const char byte : Take(size)) value = value << 8 | static_cast<unsigned char>(byte);
    return value;
  }
};

struct Options {
  std::string database, slot, publication, kafka, topic, pace = "never";
  uint64_t end_lsn = UINT64_MAX;
  rd_kafka_conf_t* producer = rd_kafka_conf_new();

  void Set(const char* name, const std::string& value) const {
    std::array<char, 256> error{};
    if (rd_kafka_conf_set(producer, name, value.c_str(), error.data(), error.size()) != RD_KAFKA_CONF_OK) {
      Die(error.data());
    }
  }
};

class Loop {
 public:
  explicit Loop(const Options& options) : options_(options), bell_(eventfd(0, EFD_NONBLOCK)) {
    if (!options.kafka.empty()) OpenProducer();  // first: its producer id comes with a timer of half a second
    connection_ = PQconnectdb((options.database + " replication=database").c_str());
    const std::string command = "START_REPLICATION SLOT \"" + options.slot +
                                "\" LOGICAL 0/0 (proto_version '1', publication_names '" + options.publication + "')";
    PGresult* result = PQexec(connection_, command.c_str());
    if (PQresultStatus(result) != PGRES_COPY_BOTH) Die(PQerrorMessage(connection_));
    PQclear(result);
    PQsetnonblocking(connection_, 1);
  }

  void Run() {
    prctl(PR_SET_TIMERSLACK, 1000UL);
    while (received_ < options_.end_lsn) {
      const bool read = Pass();
      if (producer_ != nullptr) TakeReports();
      if (Now() - status_sent_ >= kStatusEveryNanos) SendStatus();
      if (options_.pace != "never" && read && Waiting() < kPauseBelowBytes) {
        const timespec pause{.tv_sec = 0, .tv_nsec = kPauseNanos};
        clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
      }
      if (Waiting() == 0) Sleep();
    }
    std::printf("{\"rows\": %" PRIu64 ", \"reads\": %" PRIu64 ", \"seconds\": %.4f, \"cpu_s\": %.3f}\n", rows_, reads_,
                static_cast<double>(committed_at_ - first_at_) / 1e9,
                static_cast<double>(Now(CLOCK_PROCESS_CPUTIME_ID)) / 1e9);
  }

 private:
  struct Transaction {
    uint64_t end_lsn = 0;  // 0 while it is open
    uint64_t outstanding = 0;
  };

  void OpenProducer() {
    std::array<char, 256> error{};
    rd_kafka_conf_set_events(options_.producer, RD_KAFKA_EVENT_DR | RD_KAFKA_EVENT_ERROR);
    producer_ = rd_kafka_new(RD_KAFKA_PRODUCER, options_.producer, error.data(), error.size());
    if (producer_ == nullptr) Die(error.data());
    queue_ = rd_kafka_queue_get_main(producer_);
    const uint64_t one = 1;
    rd_kafka_queue_io_event_enable(queue_, bell_, &one, sizeof one);
  }

  // In the kernel, and decrypted inside TLS.
  size_t Waiting() const {
    int waiting = 0;
    ioctl(PQsocket(connection_), FIONREAD, &waiting);
    auto* tls = static_cast<SSL*>(PQsslStruct(connection_, "OpenSSL"));
    return static_cast<size_t>(waiting) + (tls == nullptr ? 0 : static_cast<size_t>(SSL_pending(tls)));
  }

  void Sleep() {
    std::array<pollfd, 2> waits{pollfd{PQsocket(connection_), POLLIN, 0}, pollfd{bell_, POLLIN, 0}};
    poll(waits.data(), waits.size(), 1000);
    uint64_t rung = 0;
    if (waits[1].revents != 0 && read(bell_, &rung, sizeof rung) < 0) Die("eventfd");
  }

  // One read, or with `drained` reads for as long as they bring whole messages. True when a pause may follow: messages
  // came, and with `drained` the last read brought none.
  bool Pass() {
    bool any = TakeAll();
    for (int reads = 0; reads < kReadsPerPass; ++reads) {
      if (PQconsumeInput(connection_) == 0) Die(PQerrorMessage(connection_));
      ++reads_;
      const bool brought = TakeAll();
      any = any || brought;
      if (options_.pace != "drained" || !brought) return any;
    }
    return false;
  }

  bool TakeAll() {
    bool any = false;
    char* bytes = nullptr;
    int size = 0;
    while ((size = PQgetCopyData(connection_, &bytes, 1)) > 0) {
      Take({{bytes, static_cast<size_t>(size)}});
      PQfreemem(bytes);
      any = true;
    }
    if (size < 0) Die(PQerrorMessage(connection_));
    return any;
  }

  void Take(Reader message) {
    if (message.Int(1) == 'k') {
      received_ = std::max(received_, message.Int(8));
      message.Take(8);
      if (message.Int(1) != 0) SendStatus();
      return;
    }
    message.Take(24);  // start, end, time
    if (first_at_ == 0) first_at_ = Now();
    switch (message.Int(1)) {
      case 'B':
        transactions_.emplace_back();
        break;
      case 'I':
        TakeInsert(message);
        break;
      case 'C':
        message.Take(9);  // flags, position
        received_ = transactions_.back().end_lsn = message.Int(8);
        committed_at_ = Now();
        Confirm();
        break;
      default:
        break;
    }
  }

  void TakeInsert(Reader message) {
    message.Take(7);  // relation, 'N', number of columns
    std::array<std::string_view, kColumns> columns;
    for (std::string_view& column : columns) {
      if (message.Int(1) == 't') column = message.Take(message.Int(4));
    }
    ++rows_;
    if (producer_ != nullptr) Produce(columns);
  }

  void Produce(const std::array<std::string_view, kColumns>& columns) {
    const uint64_t number = confirmed_transactions_ + transactions_.size() - 1;
    ++transactions_.back().outstanding;
    const std::string_view id = columns[kId], key = columns[kAggregateId], value = columns[kPayload];
    std::array<rd_kafka_vu_t, 6> parts{};
    parts[0] = {.vtype = RD_KAFKA_VTYPE_RKT, .u = {.rkt = Topic(columns[kAggregateType])}};
    parts[1] = {.vtype = RD_KAFKA_VTYPE_MSGFLAGS, .u = {.i = RD_KAFKA_MSG_F_COPY}};
    parts[2] = {.vtype = RD_KAFKA_VTYPE_KEY, .u = {.mem = {const_cast<char*>(key.data()), key.size()}}};
    parts[3] = {.vtype = RD_KAFKA_VTYPE_VALUE, .u = {.mem = {const_cast<char*>(value.data()), value.size()}}};
    parts[4] = {.vtype = RD_KAFKA_VTYPE_HEADER, .u = {.header = {"id", id.data(), static_cast<ssize_t>(id.size())}}};
    parts[5] = {.vtype = RD_KAFKA_VTYPE_OPAQUE, .u = {.ptr = reinterpret_cast<void*>(number)}};
    while (rd_kafka_error_t* error = rd_kafka_produceva(producer_, parts.data(), parts.size())) {
      if (rd_kafka_error_code(error) != RD_KAFKA_RESP_ERR__QUEUE_FULL) Die(rd_kafka_error_string(error));
      rd_kafka_error_destroy(error);
      TakeReports(10);
    }
  }

  rd_kafka_topic_t* Topic(std::string_view aggregate_type) {
    name_.assign(aggregate_type);
    rd_kafka_topic_t*& topic = topics_[name_];
    if (topic == nullptr) topic = rd_kafka_topic_new(producer_, (options_.topic + "." + name_).c_str(), nullptr);
    return topic;
  }

  void TakeReports(int timeout_ms = 0) {
    while (rd_kafka_event_t* event = rd_kafka_queue_poll(queue_, timeout_ms)) {
      timeout_ms = 0;
      while (const rd_kafka_message_t* report = rd_kafka_event_message_next(event)) {
        if (report->err != RD_KAFKA_RESP_ERR_NO_ERROR) Die(rd_kafka_err2str(report->err));
        --transactions_[reinterpret_cast<uint64_t>(report->_private) - confirmed_transactions_].outstanding;
      }
      rd_kafka_event_destroy(event);
    }
    Confirm();
  }

  void Confirm() {
    while (!transactions_.empty() && transactions_.front().end_lsn != 0 && transactions_.front().outstanding == 0) {
      confirmed_ = transactions_.front().end_lsn;
      transactions_.pop_front();
      ++confirmed_transactions_;
    }
    if (transactions_.empty()) confirmed_ = std::max(confirmed_, received_);
  }

  void SendStatus() {
    status_sent_ = Now();
    std::string status = "r";
    for (const uint64_t value : {received_, confirmed_, confirmed_, uint64_t{0}}) {
      for (int shift = 56; shift >= 0; shift -= 8) status.push_back(static_cast<char>(value >> shift & 0xff));
    }
    status.push_back('\0');
    PQputCopyData(connection_, status.data(), static_cast<int>(status.size()));
    PQflush(connection_);
  }

  const Options& options_;
  const int bell_;
  PGconn* connection_ = nullptr;
  rd_kafka_t* producer_ = nullptr;
  rd_kafka_queue_t* queue_ = nullptr;
  std::unordered_map<std::string, rd_kafka_topic_t*> topics_;
  std::string name_;                      // of the topic looked up, kept for its buffer
  std::deque<Transaction> transactions_;  // not yet confirmed
  uint64_t confirmed_transactions_ = 0;
  uint64_t received_ = 0, confirmed_ = 0;
  uint64_t rows_ = 0, reads_ = 0;
  int64_t first_at_ = 0, committed_at_ = 0, status_sent_ = 0;
};

uint64_t ParseLsn(const char* text) {
  unsigned high = 0, low = 0;
  if (std::sscanf(text, "%X/%X", &high, &low) != 2) Die("--end wants a position such as 0/16B3748");
  return uint64_t{high} << 32 | low;
}

Options Parse(int argc, char** argv) {
  Options options;
  for (const auto& [name, value] : {std::pair{"enable.idempotence", "true"}, {"partitioner", "murmur2_random"}}) {
    options.Set(name, value);
  }
  const std::unordered_map<std::string_view, std::string*> texts = {
      {"--database", &options.database}, {"--slot", &options.slot},   {"--publication", &options.publication},
      {"--kafka", &options.kafka},       {"--topic", &options.topic}, {"--pace", &options.pace}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string value = argv[i + 1];
    if (const auto text = texts.find(name); text != texts.end()) {
      *text->second = value;
    } else if (name == "--end") {
      options.end_lsn = ParseLsn(argv[i + 1]);
    } else if (name == "-X" && value.find('=') != value.npos) {
      options.Set(value.substr(0, value.find('=')).c_str(), value.substr(value.find('=') + 1));
    } else {
      Die("unknown option " + std::string(name));
    }
  }
  if (argc % 2 == 0 || options.slot.empty() || options.publication.empty()) Die("usage: see the head of bare_loop.cc");
  if (options.pace != "never" && options.pace != "gulp" && options.pace != "drained") Die("--pace never|gulp|drained");
  if (!options.kafka.empty()) options.Set("bootstrap.servers", options.kafka);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  Loop(options).Run();
  std::fflush(stdout);
  _exit(0);  // what librdkafka still holds is acknowledged or not wanted
}
