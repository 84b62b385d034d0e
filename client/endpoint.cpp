#include "client/endpoint.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "base/env.h"
#include "base/log.h"
#include "base/text.h"
#include "net/http_get.h"
#include "net/pod_socket.h"
#include "platform/progress_line.h"
#include "platform/socket.h"

namespace hipr::client {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100}, kLongestPause{2000};
constexpr auto kQuietFor = std::chrono::seconds(5);  // a worker that is starting is nothing to talk about
constexpr int kOneAttempt = 30;                      // seconds
constexpr int kOneOfSeveral = 5;                     // for a connection, when there are others
constexpr char kAdvice[] =
    ". Is hip-worker running there and reachable? Set TF_WORKER_HOST and TF_WORKER_PORT to where it listens.";

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Read anew every time: kubelet replaces it. Without one we ask without; the operator may be set up not to care.
std::string readToken(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return trimmed(text.str());
}

constexpr const char* kRefusedToken =
    ". It does not take this pod's service-account token: is one mounted (automountServiceAccountToken), and is the "
    "connection this pod's own?";

// While the connection object, the pod or the operator itself are not there yet.
bool passing(int status) {
  return status == 404 || status == 429 || status >= 500;
}

Status advising(const Status& status) {
  return {status.code(), status.message() + kAdvice};
}

int secondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::seconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::max<std::int64_t>(left, 1));
}

Status locate(const TensorFusion& info, int timeoutSeconds, Place& place) {
  if (!info.connection.empty()) return parseConnection(info.connection, place);
  return askOperator(info, timeoutSeconds, place);
}

}  // namespace

Status parseConnection(const std::string& text, Place& place) {
  std::vector<std::string> fields;
  std::istringstream stream(trimmed(text));
  for (std::string field; std::getline(stream, field, '+');) fields.push_back(field);
  const bool inPod = !fields.empty() && fields[0] == "shmem";
  const std::string socket = inPod && fields.size() > 1 ? net::podSocket(fields[1]) : "";
  if (inPod ? socket.empty() : fields.size() < 3 || fields[1].empty())
    return Status::invalid("\"" + printable(text) + "\" is not a TensorFusion connection");
  if (inPod) {
    place = {{"localhost", 0, socket}, "", envText("POD_NAME").value_or("")};
    return {};
  }
  const auto port = parseNumber(fields[2], 1, 65535);
  if (!port) return Status::invalid("\"" + printable(text) + "\" has no valid port");
  std::string host = fields[1];
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  place.worker = {host, static_cast<std::uint16_t>(*port)};
  place.address = host;
  place.pod = fields.size() > 3 ? fields[3].substr(0, fields[3].rfind('-')) : "";
  return {};
}

Status askOperator(const TensorFusion& info, int timeoutSeconds, Place& place) {
  net::HttpHeaders headers;
  if (const std::string token = readToken(info.tokenFile); !token.empty()) {
    headers.emplace_back("Authorization", "Bearer " + token);
  }
  net::HttpReply reply;
  if (Status status = net::httpGet(info.operatorUrl, headers, timeoutSeconds, reply); !status.ok()) {
    return {status.code(), "TensorFusion's operator: " + printable(status.message())};
  }
  const std::string body = trimmed(reply.body);
  if (reply.status == 200 && !body.empty()) return parseConnection(body, place);
  const std::string said =
      "TensorFusion's operator said " + std::to_string(reply.status) + " " + printable(body.substr(0, 200));
  if (reply.status == 200 || passing(reply.status)) return Status::unavailable(said);
  return Status::invalid(reply.status == 401 || reply.status == 403 ? said + kRefusedToken : said);
}

Status connectByTensorFusion(const Options& options, net::Socket& socket, Place& place) {
  const platform::ProgressLine line("waiting for a worker from TensorFusion");
  const auto start = Clock::now(), deadline = start + std::chrono::seconds(options.connectTimeout);
  bool told = false;
  for (milliseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    Status status = locate(options.tensorFusion, secondsUntil(deadline), place);
    if (status.ok()) status = net::connectTo(place.worker, std::min(kOneAttempt, secondsUntil(deadline)), socket);
    if (status.ok() || !status.away()) return status;
    if (Clock::now() + pause >= deadline) {
      return status.within("waited " + std::to_string(options.connectTimeout) + " s for a worker from TensorFusion");
    }
    logDebug("no worker yet: %s", status.message().c_str());
    if (!told && Clock::now() - start > kQuietFor) {
      logInfo("waiting for a worker from TensorFusion: %s", status.message().c_str());
      told = true;
    }
    std::this_thread::sleep_for(pause);
  }
}

Status placesOf(const std::vector<net::Endpoint>& workers, std::vector<Place>& out) {
  std::minstd_rand random{std::random_device{}()};
  Status failure;
  for (const net::Endpoint& worker : workers) {
    if (!worker.path.empty()) {
      out.push_back({worker, "", ""});
      continue;
    }
    std::vector<std::string> addresses;
    if (Status status = platform::resolveHost(worker.host, addresses); !status.ok()) {
      if (workers.size() > 1) logInfo("%s", status.message().c_str());
      failure = status;
      continue;
    }
    const auto six = [](const std::string& address) { return address.find(':') != std::string::npos; };
    for (auto first = addresses.begin(); first != addresses.end();) {
      const auto last = std::find_if(first, addresses.end(), [&](const auto& a) { return six(a) != six(*first); });
      std::shuffle(first, last, random);
      first = last;
    }
    for (const std::string& address : addresses) out.push_back({worker, address, ""});
  }
  return out.empty() ? failure : Status{};
}

namespace {

// A connection that is cut before the session has begun has spent nothing: another one is tried, a few times.
template <class Attempt>
Status despiteCuts(int patience, const Attempt& attempt) {
  constexpr int kAttempts = 5;
  const auto end = Clock::now() + std::chrono::seconds(patience);
  for (int i = 1;; ++i) {
    Status status = attempt();
    if (status.code() != Code::kCut || i == kAttempts || Clock::now() >= end) return status;
    logDebug("before the session had begun: %s; trying again", status.message().c_str());
    std::this_thread::sleep_for(kFirstPause);
  }
}

Status beginOnce(const Options& options, const Begin& begin, bool tell) {
  std::vector<Place> places;
  if (Status status = placesOf(options.workers, places); !status.ok()) return advising(status);
  const bool several = options.workers.size() > 1;
  const int patience = several ? std::min(options.connectTimeout, kOneOfSeveral) : options.connectTimeout;
  // Of those that answered, and said no; and of those that did not.
  std::string refusals, silences;
  Status refusal;
  for (const Place& place : places) {
    bool answered = false;
    const Status status = despiteCuts(patience, [&] {
      net::Socket socket;
      const Status connected = net::connectTo(place.endpoint(), patience, socket);
      answered = connected.ok();
      return answered ? begin(std::move(socket), place) : connected;
    });
    if (status.ok()) return {};
    std::string& said = answered ? refusals : silences;
    if (answered && refusal.code() != Code::kBusy) refusal = status;
    const std::string saying = (several && answered ? place.name() + ": " : "") + status.message();
    if (said.find(saying) == std::string::npos) said += (said.empty() ? "" : "; ") + saying;  // by all its addresses
    if (several && tell) logInfo("not the worker at %s: %s", place.name().c_str(), status.message().c_str());
  }
  if (!refusals.empty()) return {refusal.code(), refusals};
  return advising(Status::unavailable(silences));
}

}  // namespace

Status beginAnywhere(const Options& options, const Begin& begin) {
  platform::ProgressLine line("connecting to " + options.workerName());
  const auto end = Clock::now() + std::chrono::seconds(options.waitForRoom);
  Status status = beginOnce(options, begin, true);
  if (status.code() != Code::kBusy || options.waitForRoom == 0) return status;
  line = platform::ProgressLine("waiting for room at " + options.workerName());
  for (milliseconds pause = kFirstPause; status.code() == Code::kBusy && Clock::now() < end;
       pause = std::min(2 * pause, kLongestPause)) {
    std::this_thread::sleep_for(pause);
    status = beginOnce(options, begin, false);
  }
  return status;
}

Status beginByTensorFusion(const Options& options, const Begin& begin) {
  return despiteCuts(options.connectTimeout, [&] {
    Place place;
    net::Socket socket;
    // Without advice: there is nothing that the program's user could set.
    if (Status status = connectByTensorFusion(options, socket, place); !status.ok()) return status;
    return begin(std::move(socket), place);
  });
}

}  // namespace hipr::client
