// src/control/server.cc and client.cc, over real sockets
#include "control/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "control/address.h"
#include "control/client.h"

namespace postrider::control {
namespace {

using testing::HasSubstr;

// A loop that answers every order with its word as the reason, and refuses to skip.
class Loop {
 public:
  Loop() : thread_([this] { Run(); }) {}
  ~Loop() {
    ends_ = true;
    bell_.Ring();
    thread_.join();
  }
  relay::Desk* desk() { return &desk_; }

 private:
  void Run() {
    while (!ends_) {
      const auto order = desk_.Take();
      if (!order) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      } else if (order->verb == relay::Order::Verb::kSkip) {
        desk_.Answer(absl::NotFoundError("nothing is held"));
      } else {
        desk_.Answer(relay::Report{.state = relay::State::kStreaming, .reason = order->word});
      }
    }
  }
  Wakeup bell_;
  relay::Desk desk_{&bell_};
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

class ServerTest : public testing::Test {
 protected:
  ServerTest() : folder_(testing::TempDir() + "control-" + std::to_string(getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~ServerTest() override { std::filesystem::remove_all(folder_); }
  std::string path() const { return folder_ + "/relay.sock"; }
  auto Listen() { return Server::Listen(path(), loop_.desk(), &SystemClock()); }

  const std::string folder_;
  Loop loop_;
};

TEST_F(ServerTest, AnOrderReachesTheLoopAndItsAnswerComesBack) {
  const auto server = Listen();
  ASSERT_TRUE(server.ok()) << server.status();
  const auto answer = Send(path(), "park id-1");
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(*answer, "state streaming: id-1\n");
}

TEST_F(ServerTest, ARefusalComesBackAsOne) {
  const auto server = Listen();
  const auto answer = Send(path(), "skip id-1");
  EXPECT_EQ(answer.status().message(), "nothing is held");
  EXPECT_THAT(std::string(Send(path(), "nonsense").status().message()), HasSubstr("not known"));
  EXPECT_TRUE(Send(path(), "list").ok()) << "it goes on";
}

TEST_F(ServerTest, TheSocketIsItsOwnersAlone) {
  const auto server = Listen();
  struct stat file = {};
  ASSERT_EQ(stat(path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777u, 0600u);
}

TEST_F(ServerTest, WithoutARelayTheClientSaysSo) {
  EXPECT_EQ(Send(path(), "list").status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ServerTest, ASocketThatADeadProcessLeftIsReplaced) {
  const sockaddr_un address = AddressOf(path());
  const int left = socket(AF_UNIX, SOCK_STREAM, 0);
  ASSERT_EQ(bind(left, Raw(address), sizeof address), 0);
  close(left);
  ASSERT_TRUE(std::filesystem::exists(path()));
  const auto server = Listen();
  ASSERT_TRUE(server.ok()) << server.status();
  EXPECT_TRUE((*server)->listens());
  EXPECT_TRUE(Send(path(), "list").ok());
}

TEST_F(ServerTest, ASecondRelayDoesNotTakeTheSocketOfALivingOne) {
  auto first = Listen();
  const auto second = Listen();
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_FALSE((*second)->listens());
  EXPECT_TRUE(Send(path(), "list").ok());
}

TEST_F(ServerTest, AFileThatIsNoSocketIsLeftAlone) {
  std::ofstream(path()) << "precious";
  const auto server = Listen();
  EXPECT_TRUE(!server.ok() || !(*server)->listens());
  EXPECT_EQ(std::filesystem::file_size(path()), 8u);
}

TEST_F(ServerTest, AFolderThatIsNotThereIsAFailure) {
  EXPECT_FALSE(Server::Listen(folder_ + "/none/relay.sock", loop_.desk(), &SystemClock()).ok());
}

TEST_F(ServerTest, TheSocketGoesWithTheServer) {
  { const auto server = Listen(); }
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(ServerTest, ALoopThatDoesNotAnswerIsNotWaitedForForEver) {
  Wakeup bell;
  relay::Desk desk(&bell);
  const auto answer = desk.Ask({}, std::chrono::milliseconds(20));
  EXPECT_EQ(answer.status().code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_FALSE(desk.Take()) << "it is withdrawn";
}

}  // namespace
}  // namespace postrider::control
