// Finding the worker through TensorFusion, against an operator made of a few lines.
#include "client/endpoint.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <mutex>
#include <span>
#include <thread>

namespace hipr::client {
namespace {

// Answers each request with the next of its replies, the last one again and again, and keeps what it was asked.
class Operator {
 public:
  explicit Operator(std::vector<std::string> replies) : replies_(std::move(replies)) {
    EXPECT_TRUE(net::listenOn("127.0.0.1", 0, listener_, &port_).ok());
    thread_ = std::thread([this] { serve(); });
  }
  ~Operator() {
    listener_.shutdown();  // wakes the accept
    thread_.join();
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/api/connection?name=c&namespace=n"; }
  std::vector<std::string> requests() {
    std::lock_guard lock(mutex_);
    return requests_;
  }

 private:
  void serve() {
    for (std::size_t turn = 0;; ++turn) {
      net::Socket client(::accept(listener_.fd(), nullptr, nullptr));
      if (!client.open()) return;
      std::string request;
      char piece[1024];
      std::size_t got = 1;
      while (got && request.find("\r\n\r\n") == std::string::npos) {
        if (!client.receiveSome(piece, sizeof piece, &got).ok()) break;
        request.append(piece, got);
      }
      {
        std::lock_guard lock(mutex_);
        requests_.push_back(request);
      }
      const std::string& reply = replies_[std::min(turn, replies_.size() - 1)];
      if (!client.send(std::as_bytes(std::span(reply))).ok()) return;
    }
  }
  const std::vector<std::string> replies_;
  net::Socket listener_;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<std::string> requests_;
  std::thread thread_;
};

std::string reply(int status, const std::string& body) {
  return "HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
         body;
}

Options optionsFor(const std::string& url, int timeout = 60) {
  Options options;
  options.tensorFusion.operatorUrl = url;
  options.tensorFusion.tokenFile = "/nonexistent";
  options.connectTimeout = timeout;
  return options;
}

TEST(Connection, EveryFormOfTheOperator) {
  const struct {
    const char *text, *host;
    int port;
    const char* pod;
  } cases[] = {{"native+10.0.0.7+8000+client-tf-vgpu-abc-12345", "10.0.0.7", 8000, "client-tf-vgpu-abc"},
               {"native+fd00::7+8000+x-1\n", "fd00::7", 8000, "x"},
               {"native+[fd00::7]+8000+x-1", "fd00::7", 8000, "x"},
               {"hip+gpu.example+18515", "gpu.example", 18515, ""}};
  for (const auto& c : cases) {
    Place place;
    const Status status = parseConnection(c.text, place);
    ASSERT_TRUE(status.ok()) << c.text << ": " << status.message();
    EXPECT_EQ(place.worker.host, c.host);
    EXPECT_EQ(place.address, c.host);
    EXPECT_EQ(place.worker.port, c.port);
    EXPECT_EQ(place.pod, c.pod);
  }
  Place place;
  for (const char* bad :
       {"", "native", "native+", "native+10.0.0.1", "native++8000+x", "native+h+0+x", "native+h+http+x"}) {
    EXPECT_EQ(parseConnection(bad, place).code(), Code::kInvalid) << bad;
  }
}

TEST(Endpoint, AWorkerInTheSamePod) {
  setenv("POD_NAME", "pod-1", 1);
  Place place;
  ASSERT_TRUE(parseConnection("shmem+tf_shm+1024+1", place).ok());
  unsetenv("POD_NAME");
  EXPECT_EQ(place.name(), "unix:/dev/shm/tf_shm.hip-remote");
  EXPECT_EQ(place.endpoint().path, place.worker.path);
  EXPECT_EQ(place.pod, "pod-1") << "of which its token is made";
  for (const char* bad : {"shmem", "shmem+", "shmem++1024+1", "shmem+../etc/x+1024+1"})
    EXPECT_EQ(parseConnection(bad, place).code(), Code::kInvalid) << bad;
}

TEST(Endpoint, TheUsersWordComesFirst) {
  setenv("TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL", "http://op/", 1);
  Options found;
  ASSERT_TRUE(readOptions(found).ok());
  EXPECT_TRUE(found.tensorFusion.asked());
  EXPECT_EQ(found.connectTimeout, 300);
  setenv("TF_WORKER_HOST", "gpu:7", 1);
  Options named;
  ASSERT_TRUE(readOptions(named).ok());
  EXPECT_FALSE(named.tensorFusion.asked());
  EXPECT_EQ(named.workerName(), "gpu:7");
  EXPECT_EQ(named.connectTimeout, 30);
  unsetenv("TF_WORKER_HOST");
  unsetenv("TENSOR_FUSION_OPERATOR_GET_CONNECTION_URL");
}

TEST(Endpoint, WaitsForTheConnectionThenForTheWorker) {
  net::Socket worker;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, worker, &port).ok());
  // First no connection object, then no worker, then one that does not listen yet, then another one that does.
  Operator server({reply(404, "{\"error\":\"not found\"}"), reply(503, "{}"), reply(200, "native+127.0.0.1+1+w-1"),
                   reply(200, "native+127.0.0.1+" + std::to_string(port) + "+w-2")});
  net::Socket socket;
  Place where;
  const Status status = connectByTensorFusion(optionsFor(server.url()), socket, where);
  ASSERT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(where.worker.port, port);
  EXPECT_EQ(server.requests().size(), 4u);
  EXPECT_EQ(server.requests()[0].find("Authorization"), std::string::npos);
}

TEST(Endpoint, SaysWhoItIsWithTheTokenOfTheMoment) {
  char path[] = "/tmp/token-XXXXXX";
  close(mkstemp(path));
  const std::string token(5000, 'j');  // real ones are long
  std::ofstream(path) << token << "\n";
  Operator server({reply(404, ""), reply(200, "native+127.0.0.1+1+w")});
  Options options = optionsFor(server.url());
  options.tensorFusion.tokenFile = path;
  Place worker;
  EXPECT_EQ(askOperator(options.tensorFusion, 10, worker).code(), Code::kUnavailable);
  std::ofstream(path) << "second";
  EXPECT_TRUE(askOperator(options.tensorFusion, 10, worker).ok());
  EXPECT_NE(server.requests()[0].find("\r\nAuthorization: Bearer " + token + "\r\n"), std::string::npos);
  EXPECT_NE(server.requests()[1].find("\r\nAuthorization: Bearer second\r\n"), std::string::npos);
  unlink(path);
}

TEST(Endpoint, GivesUpAtOnceWhereWaitingIsOfNoUse) {
  net::Socket socket;
  Place where;
  Operator refuses({reply(401, "{\"error\":\"token\"}")});
  const Status refused = connectByTensorFusion(optionsFor(refuses.url()), socket, where);
  EXPECT_EQ(refused.code(), Code::kInvalid);
  EXPECT_NE(refused.message().find("service-account token"), std::string::npos) << refused.message();
  EXPECT_EQ(refuses.requests().size(), 1u);
  // Garbage, at every level; what is said about it is one line, whatever it contains.
  for (const std::string& garbage : {reply(200, "<html>\n\x1b[2J</html>"), reply(200, "native+h\r\n+x+y"),
                                     reply(403, "no\nno"), std::string("SSH-2.0-OpenSSH\r\n\r\n")}) {
    Operator confused({garbage});
    const Status status = connectByTensorFusion(optionsFor(confused.url()), socket, where);
    EXPECT_EQ(status.code(), Code::kInvalid) << garbage;
    EXPECT_EQ(confused.requests().size(), 1u);
    for (const char c : status.message()) EXPECT_GE(static_cast<unsigned char>(c), ' ') << status.message();
  }
  EXPECT_EQ(connectByTensorFusion(optionsFor("https://operator/"), socket, where).code(), Code::kUnsupported);
}

TEST(Endpoint, GivesUpWhenTheTimeIsOver) {
  Operator never({reply(404, "{}")});
  net::Socket socket;
  Place where;
  const Status status = connectByTensorFusion(optionsFor(never.url(), 1), socket, where);
  EXPECT_EQ(status.code(), Code::kUnavailable);
  EXPECT_NE(status.message().find("404"), std::string::npos) << status.message();
  EXPECT_GT(never.requests().size(), 1u);
}

TEST(Endpoint, APlainConnectionNeedsNoOperator) {
  net::Socket worker, socket;
  std::uint16_t port = 0;
  ASSERT_TRUE(net::listenOn("127.0.0.1", 0, worker, &port).ok());
  Options options;
  options.tensorFusion.connection = "native+127.0.0.1+" + std::to_string(port) + "+w";
  Place where;
  EXPECT_TRUE(connectByTensorFusion(options, socket, where).ok());
}

// --- one of several

Options anyOf(const std::vector<std::uint16_t>& ports) {
  Options options;
  for (const std::uint16_t port : ports) options.workers.push_back({"127.0.0.1", port});
  return options;
}

struct Listening {
  Listening() { EXPECT_TRUE(net::listenOn("127.0.0.1", 0, socket, &port).ok()); }
  net::Socket socket;
  std::uint16_t port = 0;
};

TEST(Endpoint, ListsAreTakenApart) {
  setenv("TF_WORKER_HOST", "a,b:7,[::1]:8", 1);
  Options options;
  ASSERT_TRUE(readOptions(options).ok());
  EXPECT_EQ(options.workerName(), "a:18515, b:7, ::1:8");
  setenv("HIP_REMOTE_WORKERS", "all", 1);
  Options all;
  ASSERT_TRUE(readOptions(all).ok());
  EXPECT_TRUE(all.all && !options.all);
  std::string many = "a";
  for (int i = 0; i < 64; ++i) many += ",b";
  setenv("TF_WORKER_HOST", many.c_str(), 1);
  EXPECT_EQ(readOptions(all).code(), Code::kInvalid);
  setenv("TF_WORKER_HOST", "a,b", 1);
  setenv("HIP_REMOTE_WORKERS", "some", 1);
  EXPECT_EQ(readOptions(all).code(), Code::kInvalid);
  unsetenv("HIP_REMOTE_WORKERS");
  unsetenv("TF_WORKER_HOST");
}

TEST(Endpoint, TheFirstThatAnswersAndHasRoomServes) {
  Listening full, free, unused;
  std::vector<std::uint16_t> asked;
  const Status status = beginAnywhere(anyOf({1, full.port, free.port, unused.port}), [&](net::Socket, const Place& p) {
    asked.push_back(p.worker.port);
    return p.worker.port == full.port ? Status::unavailable("no room") : Status{};
  });
  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(asked, (std::vector{full.port, free.port}));
}

TEST(Endpoint, WhoeverHasPatienceWaitsForRoom) {
  Listening full, other;
  int attempts = 0;
  const auto fullUntil = [&](int last) {
    attempts = 0;
    return [&attempts, &full, last](net::Socket, const Place& place) {
      if (place.worker.port != full.port) return Status::unavailable("not for you");
      return ++attempts < last ? Status{Code::kBusy, "no room"} : Status{};
    };
  };
  Options options = anyOf({full.port, other.port});
  EXPECT_EQ(beginAnywhere(options, fullUntil(3)).code(), Code::kBusy);
  EXPECT_EQ(attempts, 1) << "nobody has asked for it";
  options.waitForRoom = 600;
  EXPECT_TRUE(beginAnywhere(options, fullUntil(3)).ok());
  EXPECT_EQ(attempts, 3);
  options.waitForRoom = 1;
  EXPECT_EQ(beginAnywhere(options, fullUntil(1000)).code(), Code::kBusy);
  EXPECT_LT(attempts, 20);
}

TEST(Endpoint, ACutBeforeTheSessionHasBegunIsTriedAgain) {
  Listening worker, other;
  int attempts = 0;
  const auto cutUntil = [&](int last) {
    attempts = 0;
    return [&attempts, last](net::Socket, const Place&) {
      return ++attempts < last ? Status::cut("receiving: Connection reset by peer") : Status{};
    };
  };
  EXPECT_TRUE(beginAnywhere(anyOf({worker.port}), cutUntil(4)).ok());
  EXPECT_EQ(attempts, 4);
  EXPECT_EQ(beginAnywhere(anyOf({worker.port}), cutUntil(1000)).code(), Code::kCut);
  EXPECT_LT(attempts, 10) << "what always breaks is not tried for ever";
  std::vector<std::uint16_t> asked;
  EXPECT_TRUE(beginAnywhere(anyOf({worker.port, other.port}), [&](net::Socket, const Place& place) {
                asked.push_back(place.worker.port);
                return asked.size() == 1 ? Status::unavailable("no room") : Status{};
              }).ok());
  EXPECT_EQ(asked, (std::vector{worker.port, other.port})) << "a worker that said no is not asked again";
}

TEST(Endpoint, WhatAllOfThemSaidIsTold) {
  Listening full, stopping;
  const auto begin = [&](net::Socket, const Place& p) {
    return Status::unavailable(p.worker.port == full.port ? "no room" : "stopping");
  };
  const Status refused = beginAnywhere(anyOf({full.port, 1, stopping.port}), begin);
  EXPECT_EQ(refused.message(), "127.0.0.1:" + std::to_string(full.port) +
                                   ": no room; 127.0.0.1:" + std::to_string(stopping.port) + ": stopping");
  const Status silent = beginAnywhere(anyOf({1, 2}), begin);
  EXPECT_NE(silent.message().find("127.0.0.1:1: "), std::string::npos) << silent.message();
  EXPECT_NE(silent.message().find("127.0.0.1:2: "), std::string::npos) << silent.message();
  EXPECT_NE(silent.message().find("Is hip-worker running there"), std::string::npos);
  Options unknown;
  unknown.workers = {{"no such name", 1}};
  EXPECT_NE(beginAnywhere(unknown, begin).message().find("cannot resolve"), std::string::npos);
}

TEST(Endpoint, AddressesOfOneNameKeepItsNameForCertificates) {
  std::vector<Place> places;
  ASSERT_TRUE(placesOf({{"localhost", 5}, {"127.0.0.2", 6}}, places).ok());
  EXPECT_EQ(places.front().worker.host, "localhost");
  EXPECT_NE(places.front().address, "localhost");
  EXPECT_EQ(places.back().address, "127.0.0.2");
  EXPECT_EQ(places.back().endpoint().port, 6);
}

}  // namespace
}  // namespace hipr::client
