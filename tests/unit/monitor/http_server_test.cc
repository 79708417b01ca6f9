#include "monitor/http_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <httplib.h>

#include <chrono>

#include "monitor/probe.h"

namespace postrider::monitor {
namespace {

using testing::HasSubstr;

class HttpServerTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made =
        HttpServer::Start("127.0.0.1:0", {{"/good", [] { return Answer{.body = "fine\n"}; }},
                                          {"/bad", [] { return Answer{.status = 503, .body = "not so fine\n"}; }}});
    ASSERT_TRUE(made.ok()) << made.status();
    server_ = *std::move(made);
  }
  std::string address() const { return "127.0.0.1:" + std::to_string(server_->port()); }
  httplib::Client Client() { return httplib::Client("127.0.0.1", server_->port()); }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, AnswersItsPagesAndNoOthers) {
  auto client = Client();
  EXPECT_EQ(client.Get("/good")->body, "fine\n");
  EXPECT_EQ(client.Get("/good?x=1")->status, 200);
  EXPECT_EQ(client.Get("/bad")->status, 503);
  EXPECT_EQ(client.Get("/")->status, 404);
  EXPECT_EQ(client.Get("/good/../../etc/passwd")->status, 404);
}

TEST_F(HttpServerTest, HeadHasNoBody) {
  auto client = Client();
  const auto answer = client.Head("/good");
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, "");
}

TEST_F(HttpServerTest, NothingCanBeSentToIt) {
  for (const auto& send : std::vector<std::function<httplib::Result(httplib::Client&)>>{
           [](auto& client) { return client.Post("/good", "x", "text/plain"); },
           [](auto& client) { return client.Put("/good", "x", "text/plain"); },
           [](auto& client) { return client.Delete("/good"); }, [](auto& client) { return client.Options("/good"); }}) {
    auto client = Client();
    const auto answer = send(client);
    ASSERT_TRUE(answer) << httplib::to_string(answer.error());
    EXPECT_EQ(answer->status, 405);
  }
}

TEST_F(HttpServerTest, AnAddressThatIsTakenIsNotSharedInSilence) {
  const auto second = HttpServer::Start(address(), {});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("ddress already in use"));
}

TEST_F(HttpServerTest, SilentClientsHoldItUpForASecondOnly) {
  std::vector<std::unique_ptr<httplib::Client>> silent;
  std::vector<int> sockets;
  for (int i = 0; i < HttpServer::kWorkers; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<uint16_t>(server_->port()));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
    sockets.push_back(fd);
  }
  const auto begun = std::chrono::steady_clock::now();
  auto client = Client();
  EXPECT_EQ(client.Get("/good")->status, 200);
  EXPECT_LT(std::chrono::steady_clock::now() - begun, std::chrono::seconds(3));
  for (const int fd : sockets) close(fd);
}

TEST_F(HttpServerTest, TheProbeSaysWhatTheServerSaid) {
  EXPECT_TRUE(AskHealth(address(), "/good").good);
  EXPECT_EQ(AskHealth(address(), "/good").line, "fine");
  EXPECT_FALSE(AskHealth(address(), "/bad").good);
  EXPECT_EQ(AskHealth(address(), "/bad").line, "not so fine");
  EXPECT_TRUE(AskHealth("0.0.0.0:" + std::to_string(server_->port()), "/good").good)
      << "a wildcard is asked at loopback";
  const std::string gone = address();
  server_.reset();
  EXPECT_FALSE(AskHealth(gone, "/good").good);
  EXPECT_THAT(AskHealth(gone, "/good").line, HasSubstr("no answer from"));
}

TEST(SplitAddress, TakesBracketsOff) {
  EXPECT_EQ(SplitAddress("127.0.0.1:9465"), std::make_pair(std::string("127.0.0.1"), 9465));
  EXPECT_EQ(SplitAddress("[::1]:80"), std::make_pair(std::string("::1"), 80));
}

}  // namespace
}  // namespace postrider::monitor
