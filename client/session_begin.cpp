// How a session begins: it finds a worker, greets it, agrees on addresses, and learns what both sides can do.
#include "client/session.h"

#include <algorithm>
#include <bit>

#include "access/digest.h"
#include "access/entry.h"
#include "access/token.h"
#include "base/log.h"
#include "client/endpoint.h"
#include "client/near.h"
#include "platform/process.h"
#include "runtime/async_error.h"
#include "wire/platform_codec.h"

namespace hipr::client {
namespace {

// Where device memory and reachable host memory could live. The first is free in ordinary processes; the second lies
// where sanitized processes keep their own memory. The last is wherever the system has room. Several sessions divide
// each among them.
struct Offer {
  std::uint64_t deviceBase, deviceSize, hostBase, hostSize;
};
constexpr std::uint64_t kGiB = 1ull << 30;
constexpr std::uint64_t kMostOfDevices = 8192 * kGiB;
constexpr std::uint64_t kMostAhead = 1 << 15, kMostCarried = 64 << 20;
constexpr Offer kOffers[] = {
    {0x200000000000, 16384 * kGiB, 0x300000000000, 1024 * kGiB},
    {0x400000000000, 16384 * kGiB, 0x500000000000, 1024 * kGiB},
    {0x004000000000, 128 * kGiB, 0x007000000000, 32 * kGiB},
    {0x002000000000, 64 * kGiB, 0x001800000000, 16 * kGiB},
    {0, 512 * kGiB, 0, 64 * kGiB},
};

bool reserve(std::uint64_t base, std::uint64_t size, platform::AddressRange& range) {
  return base ? range.reserve(base, size) : range.reserveAnywhere(size);
}

// What one of several sessions may take of an offer. Kernels of all of them reach the host memory of each.
Offer sliceOf(const Offer& offer, const Slice& slice) {
  const std::uint64_t parts = std::bit_ceil(slice.count);
  const auto place = [&](std::uint64_t base, std::uint64_t size) { return base ? base + size * slice.index : 0; };
  const std::uint64_t deviceSize = std::min({offer.deviceSize / parts, kMostOfDevices, platform::kMostReserved});
  const std::uint64_t hostSize = std::min(offer.hostSize, platform::kMostReserved / 8) / parts;
  return {place(offer.deviceBase, deviceSize), deviceSize, place(offer.hostBase, hostSize), hostSize};
}

// What may be true of a device where it is, but not from here: its memory is not in the CPU's address space, nor the
// program's in its; what they share is exchanged at launches, at synchronization, and a while apart in between.
// A worker on the same machine really has the program's pinned and managed memory, and what it says of that is true.
// Two machines may have a device in the same slot: here each worker of several is a group of PCI domains of its own.
void describeFromHere(Platform& platform, bool near, const Slice& slice) {
  constexpr int kDomainsOfWorker = 0x400;
  for (DeviceInfo& device : platform.devices) {
    if (slice.index > 0) {
      device.props.pciDomainID += kDomainsOfWorker * static_cast<int>(slice.index);
      device.attributes.set(hipDeviceAttributePciDomainId, device.props.pciDomainID);
    }
#define UNTRUE_HERE(Name, field) device.props.field = 0, device.attributes.set(hipDeviceAttribute##Name, 0)
    UNTRUE_HERE(IsLargeBar, isLargeBar);
    UNTRUE_HERE(PageableMemoryAccess, pageableMemoryAccess);
    UNTRUE_HERE(PageableMemoryAccessUsesHostPageTables, pageableMemoryAccessUsesHostPageTables);
    if (near) continue;
    UNTRUE_HERE(ConcurrentManagedAccess, concurrentManagedAccess);
    UNTRUE_HERE(DirectManagedMemAccessFromHost, directManagedMemAccessFromHost);
    UNTRUE_HERE(HostNativeAtomicSupported, hostNativeAtomicSupported);
#undef UNTRUE_HERE
  }
}

std::string tooOld(const std::vector<std::uint16_t>& unknown) {
  std::string names;
  for (const std::uint16_t number : unknown) names += std::string(names.empty() ? "" : ", ") + wire::opcodeName(number);
  return "the worker is older than this library and does not know " + printable(names) +
         "; install the same release there";
}

}  // namespace

Status Session::connect(const Options& options, Slice slice, Core& core, std::unique_ptr<Session>& out) {
  const auto begin = [&](net::Socket socket, const Place& place) {
    std::unique_ptr<Session> session(new Session(options, slice, core, place));
    if (Status status = session->begin(std::move(socket)); !status.ok()) return status;
    out = std::move(session);
    return Status{};
  };
  return options.tensorFusion.asked() ? beginByTensorFusion(options, begin) : beginAnywhere(options, begin);
}

Status Session::begin(net::Socket socket) {
  net::TransportPtr transport;
  if (Status status = enter(std::move(socket), transport); !status.ok()) return status;
  transport_ = ucx_ ? "ucx" : transport->kind();
  auto connection = std::make_unique<Connection>(std::move(transport), place_.name(), options_.ioTimeout, stats_);
  if (options_.resume) connection->channel().keepSent();
  return greet(connection);
}

Status Session::enter(net::Socket socket, net::TransportPtr& transport) {
  if (Status status = access::credentialsFromEnvironment(credentials_); !status.ok()) return status;
  // A cluster's operator has named the worker, and keeps the network between pods to itself unless it gave us a token.
  if (options_.tensorFusion.asked() && credentials_.none())
    credentials_.protection = access::Credentials::Protection::kNever;
  if (std::string& token = credentials_.identity.token; !token.empty() && !place_.pod.empty())
    token = access::tokenOfWorker(token, place_.pod);
  int proved = 0;
  const access::Timeouts timeouts{options_.ioTimeout, options_.ioTimeout};
  Status status = comeNear(options_, credentials_, place_.endpoint(), socket, way_);
  if (status.ok())
    status = access::enter(std::move(socket), place_.worker.host, credentials_, timeouts, transport, proved);
  if (status.ok() && way_.near) status = shareRings(options_, transport, way_.near);
  if (status.ok() && options_.nearness == Nearness::kUcx)
    status = exchangeForUcx(options_.ioTimeout, transport, ucx_).within("HIP_REMOTE_TRANSPORT=ucx");
  // Nothing cuts two processes of one machine off from each other; and what UCX loses is lost.
  if (way_.near || ucx_) options_.resume = false;
  const int waits = way_.roundTrips + proved;
  stats_.waited.fetch_add(static_cast<std::uint64_t>(waits), std::memory_order_relaxed);
  return status;
}

Status Session::greet(std::unique_ptr<Connection>& connection) {
  for (const Offer& offer : kOffers) {
    const Offer mine = sliceOf(offer, slice_);
    platform::AddressRange hostRange;
    if (!reserve(mine.deviceBase, mine.deviceSize, deviceRange_)) continue;
    if (!reserve(mine.hostBase, mine.hostSize, hostRange)) continue;
    const HostWindow window{offer.hostBase ? offer.hostBase : hostRange.base(),
                            offer.hostBase ? mine.hostSize * std::bit_ceil(slice_.count) : hostRange.size()};
    wire::Hello hello{.messages = wire::messagesToWorker(),
                      .deviceBase = deviceRange_.base(),
                      .deviceSize = deviceRange_.size(),
                      .hostBase = window.base,
                      .hostSize = window.size,
                      .process = platform::processId(),
                      .hostName = platform::hostName(),
                      .program = platform::programPath(),
                      .resumable = options_.resume};
    std::vector<std::byte> storage;
    wire::HelloReply reply;
    stats_.waited.fetch_add(1, std::memory_order_relaxed);
    if (Status status = connection->greet(wire::Opcode::kHello, hello, storage, reply); !status.ok()) return status;
    // What we can do without.
    const auto knows = [&reply](wire::Opcode opcode) {
      return std::erase(reply.unknown, static_cast<std::uint16_t>(opcode)) == 0;
    };
    const bool keepsData = knows(wire::Opcode::kNamedData);
    const bool invites = knows(wire::Opcode::kInvite), withdraws = knows(wire::Opcode::kWithdraw);
    invites_ = invites && withdraws;
    brings_ = knows(wire::Opcode::kBring);
    images_ = true;
    for (const wire::Opcode opcode : {wire::Opcode::kArrayCreate, wire::Opcode::kArrayDestroy, wire::Opcode::kArrayCopy,
                                      wire::Opcode::kTextureCreate, wire::Opcode::kTextureDestroy})
      images_ = knows(opcode) && images_;
    unpacksCode_ = knows(wire::Opcode::kPackedCode);
    const bool lanesUp = knows(wire::Opcode::kLaneData), hears = knows(wire::Opcode::kNamedDataAnswer);
    const bool lanesDown = knows(wire::Opcode::kDownloadLanes) && hears;
    const bool unpacks = knows(wire::Opcode::kPackedData), packs = knows(wire::Opcode::kPackDownloads);
    if (!reply.unknown.empty()) return Status::unsupported(tooOld(reply.unknown));
    if (reply.status == hipErrorMapFailed) continue;  // the worker has something at these addresses
    if (reply.status != hipSuccess) return Status::unavailable("the worker says: " + printable(reply.text));
    platform_ = {};
    if (!wire::decodePlatform(reply.platform, platform_)) return Status::invalid("malformed device description");
    if (Status status = checkGreeting(hello, reply, platform_); !status.ok()) return status;
    if (reply.deviceBase && reply.deviceBase != deviceRange_.base() &&
        !deviceRange_.reserve(reply.deviceBase, reply.deviceSize)) {
      continue;
    }
    limits_ = reply.limits;
    mostAhead_ = std::clamp<std::uint64_t>(limits_.operations / 8, 1, kMostAhead);
    mostCarried_ = std::clamp<std::uint64_t>(limits_.heldBytes / 8, 1, kMostCarried);
    hostBase_ = hello.hostBase;
    hostSize_ = hello.hostSize;
    describeFromHere(platform_, way_.near, slice_);
    knownCode_.insert(reply.knownCode.begin(), reply.knownCode.end());
    connection_ = std::move(connection);
    outliveCuts(reply);
    if (keepsData) nameBlocks();
    if (unpacks && packs) packData();
    useLanes(lanesUp, lanesUp && lanesDown);
    HostMemory::Calls calls{
        .expose = [this](const wire::ExposeHost& m) { connection_->post<wire::Opcode::kExposeHost>(m); },
        .conceal = [this](const wire::ConcealHost& m) { connection_->post<wire::Opcode::kConcealHost>(m); },
        .send = [this](const wire::HostBytes& m) { connection_->post<wire::Opcode::kHostBytes>(m); }};
    if (way_.near) {
      calls.share = [this](const wire::ShareHost& m, const platform::SharedMemory& memory) {
        if (Status status = connection_->channel().sendMemory({}, memory); !status.ok()) return status;
        connection_->post<wire::Opcode::kShareHost>(m);
        return Status{};
      };
    }
    host_ = std::make_unique<HostMemory>(std::move(hostRange), std::move(calls), limits_.hostBytes, window);
    exchange_ = std::make_unique<mirror::Heartbeat>(
        [this] { return host_->anyMirrored() && connection_->alive() && !streams_.now().passed(); },
        [this] {
          connection_->poll();
          return host_->exchange();
        });
    hostFunctions_ = std::make_shared<HostFunctions>([this] { connection_->settleOutput(); },
                                                     [this](std::uint64_t id) {
                                                       host_->flush();  // kernels behind it may read what it wrote
                                                       connection_->post<wire::Opcode::kHostFunctionDone>({id});
                                                       connection_->expect(-1);
                                                     });
    if (reply.deviceBase) makeHeaps(reply);
    for (DeviceInfo& device : platform_.devices)
      device.attributes.set(hipDeviceAttributeVirtualMemoryManagementSupported, placesMemory());
    connection_->start([this](wire::Opcode opcode, wire::Bytes payload) { return onPush(opcode, payload); },
                       [this](const std::string& what) {
                         raiseAsyncError(core_, kLost, what);
                         loseOthersWaits();
                       },
                       [this] {
                         if (hostFunctions_) hostFunctions_->rest();
                       });
    return {};
  }
  return Status::exhausted("no range of addresses is free on both sides");
}

void Session::outliveCuts(const wire::HelloReply& reply) {
  net::Channel& channel = connection_->channel();
  if (reply.resumeSeconds == 0) return channel.forgetSent();
  resumption_ = std::make_unique<Resumption>(options_, place_, credentials_, reply.resumeKey);
  const std::string name = place_.name();
  channel.mendBy(
      {.reconnect = [this](auto received, auto& link,
                           auto& peerReceived) { return resumption_->attempt(received, link, peerReceived); },
       .patience = std::chrono::seconds(std::min<std::int64_t>(reply.resumeSeconds, options_.ioTimeout)),
       .onCut =
           [name](const Status& why) {
             logInfo("the connection to the worker at %s broke (%s); connecting again", name.c_str(),
                     why.message().c_str());
           },
       .onMended = [name] { logInfo("connected to the worker at %s again; nothing is lost", name.c_str()); }});
}

// Within a machine nothing is slower than memory. Elsewhere the worker's acknowledgements tell how slow the line is.
void Session::nameBlocks() {
  net::When mode = options_.naming;
  if (mode == net::When::kWhereItPays && (way_.near || !connection_->channel().resumable())) mode = net::When::kNever;
  connection_->outbox().nameBlocks(mode, access::digestOf);
}

// On this machine no line is slower than packing, however slow a busy machine may make it look.
void Session::packData() {
  const net::When mode = options_.packing;
  const bool byMeasure = mode == net::When::kWhereItPays;
  if (mode == net::When::kNever || way_.near) return;
  if (byMeasure && (way_.local || !connection_->channel().resumable())) return;
  connection_->outbox().packBlocks(mode);
  connection_->post<wire::Opcode::kPackDownloads>({!byMeasure});
}

// Nor does one flow on this machine leave anything to others.
void Session::useLanes(bool up, bool down) {
  const net::When when = way_.local && options_.lanes == net::When::kWhereItPays ? net::When::kNever : options_.lanes;
  if (!connection_->channel().resumable()) return;
  const auto open = [this](auto& lane, auto& link, auto& roundTrip) {
    return resumption_->join(lane, link, roundTrip);
  };
  connection_->useLanes(when, open, up, down);
}

void Session::makeHeaps(const wire::HelloReply& reply) {
  const std::uint64_t count = std::max<std::size_t>(platform_.devices.size(), 1);
  // The last quarter is for addresses that the program itself reserves.
  const std::uint64_t unit = reply.granularity, ofProgram = deviceRange_.size() / 4 / unit * unit;
  const std::uint64_t share = (deviceRange_.size() - ofProgram) / count / unit * unit;
  virtualMemory_ =
      std::make_unique<VirtualMemory>(deviceRange_.base() + deviceRange_.size() - ofProgram, ofProgram, unit);
  for (int device = 0; device < static_cast<int>(platform_.devices.size()); ++device) {
    DeviceHeap::Calls calls;
    calls.map = [this, device](auto address, auto size) {
      connection_->post<wire::Opcode::kMapMemory>({device, address, size});
    };
    calls.unmap = [this](auto address) { connection_->post<wire::Opcode::kUnmapMemory>({address}); };
    calls.askCredit = [this, device](std::uint64_t bytes, std::uint64_t most) -> std::uint64_t {
      wire::MemoryCreditReply reply;
      if (!connection_->call<wire::Opcode::kMemoryCredit>({device, bytes, most}, reply)) return 0;
      if (reply.granted <= most && (reply.granted == 0 || reply.granted >= bytes)) return reply.granted;
      connection_->loseAndRest(
          Status::invalid("a credit of " + std::to_string(reply.granted) + " bytes that nobody asked for"));
      return 0;
    };
    calls.now = [this] { return streams_.now(); };
    calls.waitFor = [this](const Moment& moment) { (void)waitFor(moment); };
    heaps_.push_back(std::make_unique<DeviceHeap>(deviceRange_.base() + share * static_cast<std::uint64_t>(device),
                                                  share, reply.granularity, reply.credits[device], std::move(calls)));
  }
}

}  // namespace hipr::client
