#include "code_object/metadata.h"

#include <limits>

#include "code_object/msgpack.h"

namespace hipr::code {
namespace {

// What is made of notes takes no more than a few times their size: compilers say enough of each thing for that.
constexpr std::size_t kMostTimes = 4, kAnyway = 64 << 10;

struct Room {
  std::size_t left;
  template <class Item>
  bool take(const std::vector<Item>&) {
    if (left < sizeof(Item)) return false;
    left -= sizeof(Item);
    return true;
  }
};

// Readers below return nothing: a wrong type makes the MsgpackReader fail, which is checked once per note.

void read(MsgpackReader& in, std::string& out) {
  if (auto v = in.string()) out = *v;
}

void read(MsgpackReader& in, bool& out) {
  if (auto v = in.boolean()) out = *v;
}

// False when the number does not fit; sizes in code objects are 32-bit.
bool read(MsgpackReader& in, std::uint32_t& out) {
  const auto v = in.unsignedInt();
  if (!v || *v > std::numeric_limits<std::uint32_t>::max()) return false;
  out = static_cast<std::uint32_t>(*v);
  return true;
}

AddressSpace addressSpaceFromName(std::string_view name) {
  if (name == "private") return AddressSpace::kPrivate;
  if (name == "global") return AddressSpace::kGlobal;
  if (name == "constant") return AddressSpace::kConstant;
  if (name == "local") return AddressSpace::kLocal;
  if (name == "generic") return AddressSpace::kGeneric;
  if (name == "region") return AddressSpace::kRegion;
  return AddressSpace::kUnstated;
}

Access accessFromName(std::string_view name) {
  if (name == "read_only") return Access::kReadOnly;
  if (name == "write_only") return Access::kWriteOnly;
  if (name == "read_write") return Access::kReadWrite;
  return Access::kUnstated;
}

// Calls `field(key)` for each pair of a map; `field` must consume the value and returns false on a bad one.
template <class Field>
bool eachField(MsgpackReader& in, Field field) {
  const auto pairs = in.map();
  for (std::uint32_t i = 0; pairs && i < *pairs && in.ok(); ++i) {
    const auto key = in.string();
    if (!key || !field(*key)) return false;
  }
  return in.ok();
}

bool readArg(MsgpackReader& in, KernelArg& arg) {
  bool kindStated = false;
  return eachField(in,
                   [&](std::string_view key) {
                     if (key == ".offset") return read(in, arg.offset);
                     if (key == ".size") return read(in, arg.size);
                     if (key == ".pointee_align") return read(in, arg.pointeeAlign);
                     std::string text;
                     if (key == ".value_kind") {
                       read(in, text);
                       arg.kind = argKindFromName(text);
                       kindStated = true;
                     } else if (key == ".address_space") {
                       read(in, text);
                       arg.addressSpace = addressSpaceFromName(text);
                     } else if (key == ".actual_access") {
                       read(in, text);
                       arg.actualAccess = accessFromName(text);
                     } else if (key == ".is_const") {
                       read(in, arg.isConst);
                     } else if (key == ".name") {
                       read(in, arg.name);
                     } else if (key == ".type_name") {
                       read(in, arg.typeName);
                     } else {
                       in.skip();
                     }
                     return in.ok();
                   }) &&
         kindStated;
}

bool readArgs(MsgpackReader& in, Room& room, std::vector<KernelArg>& args) {
  const auto count = in.array();
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    if (!room.take(args) || !readArg(in, args.emplace_back())) return false;
  }
  return in.ok();
}

bool readRequiredSize(MsgpackReader& in, std::uint32_t (&size)[3]) {
  if (in.array() != 3u) return false;
  return read(in, size[0]) && read(in, size[1]) && read(in, size[2]);
}

// Number of lanes; other numbers mean nothing to anybody.
bool readWavefrontSize(MsgpackReader& in, std::uint32_t& out) {
  return read(in, out) && (out == 32 || out == 64);
}

bool readKernel(MsgpackReader& in, Room& room, KernelMetadata& k) {
  return eachField(in, [&](std::string_view key) {
    if (key == ".kernarg_segment_size") return read(in, k.kernargSize);
    if (key == ".kernarg_segment_align") return read(in, k.kernargAlign);
    if (key == ".group_segment_fixed_size") return read(in, k.groupFixedSize);
    if (key == ".private_segment_fixed_size") return read(in, k.privateFixedSize);
    if (key == ".wavefront_size") return readWavefrontSize(in, k.wavefrontSize);
    if (key == ".max_flat_workgroup_size") return read(in, k.maxFlatWorkgroupSize);
    if (key == ".sgpr_count") return read(in, k.sgprCount);
    if (key == ".vgpr_count") return read(in, k.vgprCount);
    if (key == ".agpr_count") return read(in, k.agprCount);
    if (key == ".sgpr_spill_count") return read(in, k.sgprSpillCount);
    if (key == ".vgpr_spill_count") return read(in, k.vgprSpillCount);
    if (key == ".reqd_workgroup_size") return readRequiredSize(in, k.requiredWorkgroupSize);
    if (key == ".args") return readArgs(in, room, k.args);
    if (key == ".name") {
      read(in, k.name);
    } else if (key == ".symbol") {
      read(in, k.symbol);
    } else if (key == ".kind") {
      std::string text;
      read(in, text);
      k.kind = text == "init" ? KernelKind::kInit : text == "fini" ? KernelKind::kFini : KernelKind::kNormal;
    } else if (key == ".uses_dynamic_stack") {
      read(in, k.usesDynamicStack);
    } else if (key == ".uniform_work_group_size") {
      read(in, k.uniformWorkgroupSize);
    } else if (key == ".workgroup_processor_mode") {
      read(in, k.workgroupProcessorMode);
    } else {
      in.skip();
    }
    return in.ok();
  });
}

bool readKernels(MsgpackReader& in, Room& room, std::vector<KernelMetadata>& kernels) {
  const auto count = in.array();
  for (std::uint32_t i = 0; count && i < *count; ++i) {
    if (!room.take(kernels)) return false;
    KernelMetadata& k = kernels.emplace_back();
    if (!readKernel(in, room, k) || k.name.empty() || k.symbol.empty()) return false;
    for (const KernelArg& a : k.args) {
      if (a.offset > k.kernargSize || a.size > k.kernargSize - a.offset) return false;
    }
  }
  return in.ok();
}

bool readStrings(MsgpackReader& in, Room& room, std::vector<std::string>& out) {
  const auto count = in.array();
  for (std::uint32_t i = 0; count && i < *count && in.ok(); ++i) {
    if (!room.take(out)) return false;
    read(in, out.emplace_back());
  }
  return in.ok();
}

Status parseNote(Bytes note, Room& room, Metadata& out) {
  MsgpackReader in(note);
  const bool complete = eachField(in, [&](std::string_view key) {
    if (key == "amdhsa.kernels") return readKernels(in, room, out.kernels);
    if (key == "amdhsa.printf") return readStrings(in, room, out.printfFormats);
    if (key == "amdhsa.version") {
      return in.array() == 2u && read(in, out.versionMajor) && read(in, out.versionMinor);
    }
    if (key == "amdhsa.target") {
      read(in, out.target);
      return in.ok();
    }
    return in.skip();
  });
  if (complete) return {};
  // Name the kernel that was being read: the notes of one library hold thousands.
  const std::string where = out.kernels.empty() ? "" : " (at kernel \"" + out.kernels.back().name + "\")";
  return Status::invalid("code object metadata is malformed" + where);
}

}  // namespace

Status parseMetadataNote(Bytes note, Metadata& out) {
  Room room{kMostTimes * note.size() + kAnyway};
  return parseNote(note, room, out);
}

Status parseMetadata(std::span<const Bytes> notes, Metadata& out) {
  Metadata merged;
  Room room{kAnyway};
  for (Bytes note : notes) {
    room.left += kMostTimes * note.size();
    if (Status s = parseNote(note, room, merged); !s.ok()) return s;
  }
  out = std::move(merged);
  return {};
}

}  // namespace hipr::code
