#include "worker/fuzz_orders.h"

#include <cstdlib>
#include <map>
#include <set>

#include "access/digest.h"
#include "code_object/test_image.h"
#include "mirror/changes.h"
#include "net/packing.h"
#include "wire/append.h"
#include "wire/messages.h"

namespace hipr::worker {
namespace {

using wire::Opcode;

constexpr std::uint64_t kMiB = 1 << 20, kObjects = 5;  // of each kind: few, so that they meet
constexpr std::uint64_t kFirst = wire::kFirstObject;

class Orders {
 public:
  explicit Orders(bool keepsToRules) : keepsToRules_(keepsToRules) {}
  void play(std::uint8_t what, std::uint8_t which);
  Frames take() { return {std::move(frames_), std::move(overLane_)}; }

 private:
  using Known = std::set<std::uint64_t>;

  template <Opcode kOp>
  void send(const typename wire::MessageOf<kOp>::Type& message) {
    wire::appendFrame(frames_.emplace_back(), kOp, ++request_, 0, message);
  }
  // Makes it, unless it exists. Numbers of objects are used once.
  template <class Make>
  void make(Known& known, Make&& send) {
    if (!careless_ && known.size() >= kObjects) return;
    const std::uint64_t number = careless_ && !known.empty() ? *known.begin() : next_++;
    known.insert(number);
    send(number);
  }
  // One that exists, if there is any.
  std::uint64_t one(const Known& known) const {
    if (careless_ || known.empty()) return kFirst + which_ % kObjects;
    auto it = known.begin();
    std::advance(it, which_ % known.size());
    return *it;
  }
  bool vacant(std::uint64_t address) {
    const bool fresh = used_.insert(address).second;
    return fresh || !keepsToRules_;
  }
  bool lacks(const Known& known) const { return !careless_ && known.empty(); }
  template <class Send>
  void end(Known& known, Send&& send) {
    if (lacks(known)) return;
    const std::uint64_t number = one(known);
    known.erase(number);
    send(number);
  }
  std::uint64_t stream() const { return which_ & 0x80 || streams_.empty() ? wire::kNullStream : one(streams_); }
  std::uint64_t place() const { return lacks(mapped_) ? kOrdersDevice : one(mapped_); }
  wire::Shape rows() const { return {place(), 16, 64, 8, 2, 4}; }
  wire::LaunchKernel kernel() const;
  wire::GraphStep step() const;
  void memory(unsigned what);
  void streamsAndEvents(unsigned what);
  void code(unsigned what);
  void copies(unsigned what);
  void parcel();
  void images(unsigned what);
  wire::ArrayCopy arrayCopy() const;
  std::vector<std::uint32_t> lanesFor(unsigned which) const;
  void nameOne();  // of the uploads whose bytes are awaited
  std::vector<std::byte> packedOf(wire::Bytes bytes) const;
  void sendPacked(std::uint64_t transfer);
  void sendOverLane(std::uint64_t transfer, std::uint64_t offset, std::size_t size);

  std::vector<std::vector<std::byte>> frames_, overLane_;
  std::uint32_t request_ = 0;
  std::uint64_t next_ = kFirst, exposure_ = 0, transfer_ = 0, function_ = 0;
  std::uint8_t which_ = 0;
  bool careless_ = false;
  const bool keepsToRules_;
  // What there is. Addresses, numbers of objects, and of transfers whose bytes are awaited.
  Known used_;  // addresses that something was at
  Known mapped_, physical_, exposed_, streams_, events_, modules_, functions_, graphs_, uploads_, arrays_, textures_;
  std::map<std::uint64_t, std::uint64_t> named_;  // of uploads: bytes for which names were given
  mutable std::vector<std::byte> work_;           // of the last step
};

const code::testing::Buffer& image() {
  static const code::testing::Buffer code = code::testing::sampleElf();
  return code;
}

const std::vector<std::byte>& bytes() {
  static const std::vector<std::byte> some(64);
  return some;
}

wire::LaunchKernel Orders::kernel() const {
  wire::LaunchKernel m;
  m.stream = stream(), m.function = one(functions_), m.groups = m.block = {1, 1, 1};
  m.arguments = wire::Bytes(bytes()).first(12);
  return m;
}

wire::GraphStep Orders::step() const {
  work_.clear();
  if (which_ & 1 && !functions_.empty()) {
    wire::LaunchKernel m = kernel();
    m.stream = 0;
    wire::Writer(work_).put(m);
    return {static_cast<std::uint16_t>(Opcode::kLaunchKernel), 0, {}, work_};
  }
  if (which_ & 2 && !arrays_.empty()) {
    wire::ArrayCopy m = arrayCopy();
    m.stream = 0;
    wire::Writer(work_).put(m);
    return {static_cast<std::uint16_t>(Opcode::kArrayCopy), 0, {}, work_};
  }
  wire::FillMemory m;
  m.to = rows();
  wire::Writer(work_).put(m);
  return {static_cast<std::uint16_t>(Opcode::kFillMemory), 0, {}, work_};
}

void Orders::memory(unsigned what) {
  const std::uint64_t at = kOrdersDevice + which_ % 16 * kMiB, host = kOrdersHost + which_ % 8 * kMiB / 2;
  const std::uint64_t ofPhysical = kOrdersDevice + (8 + which_ % 16) * 2 * kMiB;  // of physical memory
  switch (what) {
    case 0:
      if ((!careless_ && mapped_.contains(at)) || !vacant(at)) return;
      mapped_.insert(at);
      return send<Opcode::kMapMemory>({0, at, kMiB});
    case 1:
      return end(mapped_, [&](auto address) { send<Opcode::kUnmapMemory>({address}); });
    case 2:
      if (!careless_ && exposed_.contains(host)) return;
      exposed_.insert(host);
      return send<Opcode::kExposeHost>({host, 8192, ++exposure_});
    case 3:
      return end(exposed_, [&](auto address) { send<Opcode::kConcealHost>({address}); });
    case 4: {
      if (lacks(exposed_)) return;
      mirror::ChangeWriter changes;
      changes.put(exposure_, which_, bytes().data(), bytes().size());
      return send<Opcode::kHostBytes>(changes.message());
    }
    case 5:
      return send<Opcode::kMemoryCredit>({0, which_ % 8 * kMiB, 16 * kMiB});
    case 6:
      return make(physical_, [&](auto number) { send<Opcode::kCreatePhysical>({number, 0, 2 * kMiB}); });
    case 7:
      if (lacks(physical_) || !vacant(ofPhysical)) return;
      return send<Opcode::kMapPhysical>({one(physical_), ofPhysical, 2 * kMiB});
    case 8:
      return send<Opcode::kUnmapPhysical>({ofPhysical});
    case 9:
      return send<Opcode::kSetMemoryAccess>({ofPhysical, 2 * kMiB, {0}, {3}});
    case 10:
      return end(physical_, [&](auto number) { send<Opcode::kReleasePhysical>({number}); });
    default:
      return send<Opcode::kMemoryInfo>({0});
  }
}

void Orders::streamsAndEvents(unsigned what) {
  switch (what) {
    case 0:
      return make(streams_, [&](auto number) {
        wire::StreamCreate m;
        m.stream = number;
        send<Opcode::kStreamCreate>(m);
      });
    case 1:
      return end(streams_, [&](auto number) { send<Opcode::kStreamDestroy>({number}); });
    case 2:
      return send<Opcode::kStreamSynchronize>({stream()});
    case 3:
      return send<Opcode::kStreamFence>({stream()});
    case 4:
      return send<Opcode::kStreamWatch>({stream()});
    case 5:
      return send<Opcode::kHostFunction>({stream(), ++function_});
    case 6:
      if (careless_) send<Opcode::kHostFunctionDone>({which_});
      return;
    case 7:
      return make(events_, [&](auto number) { send<Opcode::kEventCreate>({number, 0, 0}); });
    case 8:
      return end(events_, [&](auto number) { send<Opcode::kEventDestroy>({number}); });
    case 9:
      if (!lacks(events_)) send<Opcode::kEventRecord>({one(events_), stream()});
      return;
    case 10:
      if (!lacks(events_)) send<Opcode::kEventSynchronize>({one(events_)});
      return;
    case 11:
      if (!lacks(events_)) send<Opcode::kStreamWaitEvent>({stream(), one(events_)});
      return;
    case 12:
      if (!lacks(events_)) send<Opcode::kEventWatch>({one(events_)});
      return;
    case 13:
      if (!events_.empty()) send<Opcode::kEventElapsed>({one(events_), *events_.rbegin()});
      return;
    case 14:
      return send<Opcode::kDeviceSynchronize>({0});
    case 15:
      return send<Opcode::kDeviceFence>({0});
    default:
      return send<Opcode::kWordSteps>({stream(), {{WordAction::kWrite, 4, place(), which_, 0}}});
  }
}

void Orders::code(unsigned what) {
  switch (what) {
    case 0:
      return make(modules_, [&](auto number) {
        static const wire::Bits256 hash = access::digestOf(image());
        const bool again = which_ & 0x40 && modules_.size() > 1;  // by its digest
        const bool packed = !again && which_ & 0x20;
        if (packed) send<Opcode::kPackedCode>({hash, image().size(), packedOf(image())});
        send<Opcode::kModuleLoad>({number, 0, hash, again || packed ? wire::Bytes() : image(), {"counter"}});
      });
    case 1:
      functions_.clear();  // some of them are gone
      return end(modules_, [&](auto number) { send<Opcode::kModuleUnload>({number}); });
    case 2:
      if (lacks(modules_)) return;
      return make(functions_, [&](auto number) { send<Opcode::kFunctionGet>({number, one(modules_), "scale"}); });
    case 3:
      if (!lacks(functions_)) send<Opcode::kLaunchKernel>(kernel());
      return;
    case 4:
      return make(graphs_, [&](auto number) { send<Opcode::kGraphCreate>({number, 0, {step()}}); });
    case 5:
      if (!lacks(graphs_)) send<Opcode::kGraphLaunch>({stream(), one(graphs_)});
      return;
    case 6:
      if (!lacks(graphs_)) send<Opcode::kGraphUpdate>({one(graphs_), {0}, {step()}});
      return;
    default:
      return end(graphs_, [&](auto number) { send<Opcode::kGraphDestroy>({number}); });
  }
}

void Orders::copies(unsigned what) {
  wire::Upload upload;
  upload.stream = stream(), upload.to = rows();
  switch (what) {
    case 0:
      upload.bytes = bytes();
      return send<Opcode::kUpload>(upload);
    case 1:
      upload.transfer = ++transfer_;
      uploads_.insert(transfer_);
      return send<Opcode::kUpload>(upload);
    case 2:
      if (which_ & 0x02) return end(uploads_, [&](auto transfer) { sendPacked(transfer); });
      return end(uploads_, [&](auto transfer) {
        send<Opcode::kData>({transfer, 0});
        std::vector<std::byte>& frame = frames_.back();
        wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData),
                            .flags = which_ & 1 ? wire::HIP_REMOTE_FLAG_KEEP : 0u,
                            .length = wire::kDataPrefix + bytes().size()},
                           frame.data());
        frame.insert(frame.end(), bytes().begin(), bytes().end());
      });
    case 3:
      if (which_ & 0x08) return nameOne();
      if (which_ & 0x02) return send<Opcode::kDownloadLanes>({lanesFor(which_), 0, (which_ & 0x10) == 0});
      if (which_ & 0x04) return send<Opcode::kDownload>({stream(), {place(), 0, 0, kMiB / 4}, ++transfer_});
      return send<Opcode::kDownload>({stream(), rows(), ++transfer_});
    case 4: {
      if (which_ & 0x08) return parcel();
      wire::FillMemory m;
      m.stream = stream(), m.to = rows();
      return send<Opcode::kFillMemory>(m);
    }
    default: {
      wire::DeviceCopy m;
      m.stream = stream(), m.to = rows(), m.from = place() + 4096, m.fromPitch = 8, m.fromSlice = 16;
      return send<Opcode::kDeviceCopy>(m);
    }
  }
}

// All arrays are alike: 8 x 2 x 4 texels of one byte.
wire::ArrayCopy Orders::arrayCopy() const {
  wire::ArrayCopy m;
  m.stream = stream(), m.width = 8, m.height = 2, m.depth = 4;
  wire::ArraySide array, rows;
  array.array = one(arrays_);
  rows.address = place(), rows.pitch = 16, rows.slice = 64;
  m.to = which_ & 0x04 ? rows : array, m.from = which_ & 0x04 || which_ & 0x08 ? array : rows;
  if (careless_) m.to.x = which_ & 1, m.height += which_ & 2;
  return m;
}

void Orders::images(unsigned what) {
  wire::ArrayCreate array;
  wire::TextureCreate texture;
  switch (what) {
    case 0:
      if (which_ & 0x08) return end(arrays_, [&](auto number) { send<Opcode::kArrayDestroy>({number}); });
      array.width = 8, array.height = 2, array.depth = 4, array.format = HIP_AD_FORMAT_UNSIGNED_INT8;
      array.channels = careless_ ? 3 : 1;
      return make(arrays_, [&](auto number) {
        array.array = number;
        send<Opcode::kArrayCreate>(array);
      });
    case 1:
      if (!lacks(arrays_)) send<Opcode::kArrayCopy>(arrayCopy());
      return;
    default:
      if (which_ & 0x08) return end(textures_, [&](auto number) { send<Opcode::kTextureDestroy>({number}); });
      if (lacks(arrays_) || (textures_.size() >= kObjects && !careless_)) return;
      texture.source.array = one(arrays_);
      texture.surface = which_ & 0x01;
      if (which_ & 0x02) {
        texture.source.type = hipResourceTypePitch2D;
        texture.source.address = place(), texture.source.width = 8, texture.source.height = 4;
        texture.source.pitch = 64, texture.source.bits = {8, 8, 0, 0};
        texture.surface = false;
      }
      return make(textures_, [&](auto number) {
        texture.texture = number;
        send<Opcode::kTextureCreate>(texture);
      });
  }
}

// One lane exists; another number is a mistake.
std::vector<std::uint32_t> Orders::lanesFor(unsigned which) const {
  if (which & 0x01) return {};
  return {careless_ ? kOrdersLane + 1 : kOrdersLane};
}

// Whoever brings one is not there, or leaves at once.
void Orders::parcel() {
  if (which_ & 0x04) return send<Opcode::kBring>({stream(), rows(), which_ & 0x02 ? "there" : "nowhere", {}});
  if (which_ & 0x02) return send<Opcode::kWithdraw>({transfer_});
  send<Opcode::kInvite>({stream(), rows(), careless_ ? transfer_ : ++transfer_});
}

// By its right name, so that it is found when such bytes were kept before, or by another one.
void Orders::nameOne() {
  if (lacks(uploads_)) return;
  static const wire::Bits256 name = access::digestOf(bytes());
  const wire::Bits256 other{which_};
  const std::uint64_t transfer = one(uploads_), size = which_ & 0x04 ? 32 : bytes().size();
  named_[transfer] += size;
  if (named_[transfer] >= bytes().size()) uploads_.erase(transfer);
  if (which_ & 0x01) return sendOverLane(transfer, named_[transfer] - size, size);
  send<Opcode::kNamedData>({transfer, named_[transfer] - size, size, which_ & 0x02 ? other : name});
}

// Announced, and there.
void Orders::sendOverLane(std::uint64_t transfer, std::uint64_t offset, std::size_t size) {
  send<Opcode::kLaneData>({transfer, offset, size, kOrdersLane});
  std::vector<std::byte>& frame = overLane_.emplace_back();
  wire::appendFrame(frame, Opcode::kData, 0, 0, wire::Data{transfer, offset});
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kData),
                      .flags = wire::HIP_REMOTE_FLAG_KEEP,
                      .length = wire::kDataPrefix + size},
                     frame.data());
  frame.insert(frame.end(), bytes().begin(), bytes().begin() + static_cast<std::ptrdiff_t>(size));
  if (careless_) frame[which_ % frame.size()] ^= std::byte{0x04};
}

std::vector<std::byte> Orders::packedOf(wire::Bytes bytes) const {
  std::vector<std::byte> packed;
  if (!net::Packer().pack(bytes, packed)) std::abort();
  if (careless_) packed[which_ % packed.size()] ^= std::byte{0x10};
  return packed;
}

void Orders::sendPacked(std::uint64_t transfer) {
  const std::vector<std::byte> packed = packedOf(bytes());
  send<Opcode::kPackedData>({transfer, 0, bytes().size()});
  std::vector<std::byte>& frame = frames_.back();
  wire::encodeHeader({.opcode = static_cast<std::uint16_t>(Opcode::kPackedData),
                      .flags = which_ & 1 ? wire::HIP_REMOTE_FLAG_KEEP : 0u,
                      .length = wire::kPackedDataPrefix + packed.size()},
                     frame.data());
  frame.insert(frame.end(), packed.begin(), packed.end());
}

void Orders::play(std::uint8_t what, std::uint8_t which) {
  which_ = which;
  careless_ = (which >> 4 & 7) == 7;
  const unsigned number = what % 48;
  if (number < 12) return memory(number);
  if (number < 29) return streamsAndEvents(number - 12);
  if (number < 37) return code(number - 29);
  if (number < 43) return copies(number - 37);
  if (number >= 44 && number < 47) return images(number - 44);
  if (number == 43 && which == 0) {  // everything goes
    for (Known* known : {&mapped_, &streams_, &events_, &modules_, &functions_, &graphs_, &arrays_, &textures_})
      known->clear();
    return send<Opcode::kDeviceReset>({0});
  }
  send<Opcode::kPing>({});
}

}  // namespace

Frames playOrders(std::span<const std::uint8_t> orders, bool keepsToRules) {
  Orders client(keepsToRules);
  for (std::size_t i = 0; i + 1 < orders.size(); i += 2) client.play(orders[i], orders[i + 1]);
  return client.take();
}

}  // namespace hipr::worker
