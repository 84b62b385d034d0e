#include "net/ucx_bridge.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <deque>
#include <string>
#include <utility>

#include "net/ucx_library.h"

namespace hipr::net {
namespace {

constexpr std::size_t kPiece = 256 << 10;
// Milliseconds: for the other end to take the last bytes; between looks; of silence when it has vanished.
constexpr int kStay = 10'000, kLook = 100, kLast = 1000;

Status failure(const char* what, ucs_status_t status) {
  return Status::unavailable(std::string("UCX: ") + what + ": error " + std::to_string(static_cast<int>(status)));
}

class Bridge : public UcxBridge {
 public:
  explicit Bridge(const UcxLibrary& ucx) : ucx_(ucx) {}
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;
  ~Bridge() override;

  Status open();
  std::vector<std::uint8_t> address() const override { return address_; }
  Status carry(std::span<const std::uint8_t> other, const Socket& local, const Tell& tell) override;
  void hear(const UcxWord& word) override;
  void leave() override;

 private:
  using Request = ucs_status_ptr_t;
  enum class Moved { kSomething, kNothing, kEnd, kFailed };

  bool progress();                                    // what UCX has to do, and what has come; true: something
  Moved takeOut(const Socket& local);                 // from the local socket to the other end
  Moved bringIn(const Socket& local);                 // the other way
  std::uint64_t room() const;                         // for more on its way to the other end
  void release();                                     // the first piece that has come
  void forget();                                      // all of them: nobody wants them
  bool settle(Request& request);                      // it is over, or there is none
  bool await(const Socket& local, int milliseconds);  // false: nothing has happened
  void deliverRest(const Socket& local);              // what came before the other end vanished
  void stay();                                        // until the other end has left

  const UcxLibrary& ucx_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_ep_h peer_ = nullptr;
  int wakeup_ = -1;
  std::vector<std::uint8_t> address_;

  std::vector<std::byte> out_ = std::vector<std::byte>(kPiece);
  Request sending_ = nullptr;                  // of out_
  std::deque<std::span<const std::byte>> in_;  // what has come
  std::size_t inDone_ = 0;                     // of the first of them
  std::uint64_t waiting_ = 0;                  // bytes in all of them
  bool failed_ = false;                        // UCX has lost the other end, or that sends more than it may
  bool ending_ = false;                        // one of the two ends has left
  bool deaf_ = false;                          // nobody reads the local socket any more
  std::uint64_t taken_ = 0, brought_ = 0, told_ = 0;
  std::atomic<std::uint64_t> delivered_{0};  // of taken_, at the other end
  std::atomic<std::uint64_t> expected_{UINT64_MAX};
  std::atomic<bool> gone_{false};  // the other end
};

Bridge::~Bridge() {
  while (!in_.empty()) release();
  if (peer_) {
    ucp_request_param_t how{};
    how.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
    how.flags = UCP_EP_CLOSE_FLAG_FORCE;
    Request closing = ucx_.ucp_ep_close_nbx(peer_, &how);
    while (!settle(closing)) ucx_.ucp_worker_progress(worker_);
  }
  if (worker_) ucx_.ucp_worker_destroy(worker_);
  if (context_) ucx_.ucp_cleanup(context_);
}

Status Bridge::open() {
  ucp_config_t* config = nullptr;
  if (const ucs_status_t status = ucx_.ucp_config_read(nullptr, nullptr, &config); status != UCS_OK)
    return failure("its settings", status);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_STREAM | UCP_FEATURE_WAKEUP;
  const ucs_status_t made = ucx_.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_);
  ucx_.ucp_config_release(config);
  if (made != UCS_OK) return failure("opening it", made);
  ucp_worker_params_t one{};
  one.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  one.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  if (const ucs_status_t status = ucx_.ucp_worker_create(context_, &one, &worker_); status != UCS_OK)
    return failure("no transport fits (UCX_TLS)", status);
  if (const ucs_status_t status = ucx_.ucp_worker_get_efd(worker_, &wakeup_); status != UCS_OK)
    return failure("waiting for it", status);
  ucp_address_t* address = nullptr;
  std::size_t size = 0;
  if (const ucs_status_t status = ucx_.ucp_worker_get_address(worker_, &address, &size); status != UCS_OK)
    return failure("its address", status);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(address);
  address_.assign(bytes, bytes + size);
  ucx_.ucp_worker_release_address(worker_, address);
  return {};
}

bool Bridge::settle(Request& request) {
  if (!request) return true;
  if (UCS_PTR_IS_PTR(request)) {
    const ucs_status_t status = ucx_.ucp_request_check_status(request);
    if (status == UCS_INPROGRESS) return false;
    failed_ |= status != UCS_OK;
    ucx_.ucp_request_free(request);
  }
  request = nullptr;
  return true;
}

bool Bridge::progress() {
  bool any = false;
  for (bool more = true; more && !failed_;) {
    more = ucx_.ucp_worker_progress(worker_) != 0;
    std::size_t size = 0;
    while (const Request data = ucx_.ucp_stream_recv_data_nb(peer_, &size)) {
      if ((failed_ |= UCS_PTR_IS_ERR(data))) break;
      in_.emplace_back(static_cast<const std::byte*>(data), size);
      waiting_ += size;
      more = true;
    }
    failed_ |= waiting_ > kUcxWindow;
    if (deaf_) forget();
    any |= more;
  }
  return any;
}

void Bridge::forget() {
  brought_ += std::exchange(waiting_, 0);
  while (!in_.empty()) release();
}

void Bridge::release() {
  ucx_.ucp_stream_data_release(peer_, const_cast<std::byte*>(in_.front().data()));
  in_.pop_front();
  inDone_ = 0;
}

std::uint64_t Bridge::room() const {
  const std::uint64_t onTheWay = taken_ - delivered_;
  return onTheWay < kUcxWindow ? kUcxWindow - onTheWay : 0;
}

Bridge::Moved Bridge::takeOut(const Socket& local) {
  if (delivered_ > taken_) return Moved::kFailed;
  if (!settle(sending_) || room() == 0) return Moved::kNothing;
  const ssize_t got = recv(local.fd(), out_.data(), std::min<std::uint64_t>(out_.size(), room()), MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Moved::kNothing : Moved::kEnd;
  if (got == 0) return Moved::kEnd;
  const ucp_request_param_t plain{};
  taken_ += static_cast<std::uint64_t>(got);
  sending_ = ucx_.ucp_stream_send_nbx(peer_, out_.data(), static_cast<std::size_t>(got), &plain);
  return UCS_PTR_IS_ERR(sending_) ? Moved::kFailed : Moved::kSomething;
}

Bridge::Moved Bridge::bringIn(const Socket& local) {
  if (deaf_ || in_.empty()) return Moved::kNothing;
  const std::span<const std::byte> rest = in_.front().subspan(inDone_);
  const ssize_t sent = send(local.fd(), rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (sent < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ? Moved::kNothing : Moved::kEnd;
  const auto bytes = static_cast<std::size_t>(sent);
  brought_ += bytes;
  waiting_ -= bytes;
  if ((inDone_ += bytes) == in_.front().size()) release();
  return Moved::kSomething;
}

// A socket whose peer is gone would always have something to say: it is asked only what we want to know.
bool Bridge::await(const Socket& local, int milliseconds) {
  if (ucx_.ucp_worker_arm(worker_) != UCS_OK) return true;  // something has come meanwhile
  const bool takes = !sending_ && !ending_ && room() > 0, brings = !deaf_ && !in_.empty();
  const short wanted = static_cast<short>((takes ? POLLIN : 0) | (brings ? POLLOUT : 0));
  pollfd entries[] = {{wakeup_, POLLIN, 0}, {wanted ? local.fd() : -1, wanted, 0}};
  return poll(entries, 2, milliseconds) != 0;
}

void Bridge::hear(const UcxWord& word) {
  delivered_ = word.delivered;
  expected_ = word.total;
  ucx_.ucp_worker_signal(worker_);
}

void Bridge::leave() {
  gone_ = true;
  ucx_.ucp_worker_signal(worker_);
}

// Bytes that UCX has taken need not have left this process: it goes on until the other end has them, or is no more
// interested than we are.
void Bridge::stay() {
  ending_ = deaf_ = true;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kStay);
  while (!gone_ && !failed_ && expected_ == UINT64_MAX && std::chrono::steady_clock::now() < end) {
    (void)progress();
    (void)settle(sending_);
    (void)await(Socket(), kLook);
  }
}

void Bridge::deliverRest(const Socket& local) {
  ending_ = true;
  for (;;) {
    (void)progress();
    const Moved moved = bringIn(local);
    if (moved == Moved::kEnd || (moved == Moved::kNothing && (failed_ || !await(local, kLast)))) return;
  }
}

Status Bridge::carry(std::span<const std::uint8_t> other, const Socket& local, const Tell& tell) {
  if (other.empty()) return Status::invalid("UCX: the other end has no address");
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
  params.address = reinterpret_cast<const ucp_address_t*>(other.data());
  if (const ucs_status_t status = ucx_.ucp_ep_create(worker_, &params, &peer_); status != UCS_OK)
    return failure("the way to the other end", status);
  while (!gone_) {
    const bool busy = progress();
    const Moved out = takeOut(local), in = bringIn(local);
    if (failed_ || out == Moved::kFailed) break;
    if (out == Moved::kEnd) {
      tell({brought_, taken_});
      stay();
      return {};
    }
    if (brought_ >= expected_) return {};
    if (brought_ - told_ >= kUcxWindow / 4) tell({told_ = brought_});
    deaf_ |= in == Moved::kEnd;
    if (!busy && out == Moved::kNothing && in == Moved::kNothing) (void)await(local, -1);
  }
  deliverRest(local);
  return {};
}

}  // namespace

bool UcxBridge::usable() {
  return !UcxLibrary::openedByParent();
}

Status UcxBridge::open(std::unique_ptr<UcxBridge>& out) {
  const UcxLibrary* ucx = nullptr;
  if (Status status = UcxLibrary::find(ucx); !status.ok()) return status;
  auto made = std::make_unique<Bridge>(*ucx);
  if (Status status = made->open(); !status.ok()) return status;
  out = std::move(made);
  return {};
}

}  // namespace hipr::net
