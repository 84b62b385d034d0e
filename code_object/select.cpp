#include "code_object/select.h"

#include "code_object/bundle.h"
#include "code_object/compressed_bundle.h"
#include "code_object/elf.h"

namespace hipr::code {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x48495046;   // "HIPF"
constexpr std::uint32_t kExternalMagic = 0x4B504948;  // "HIPK": code in a separate package file

struct Wrapper {
  std::uint32_t magic, version;
  const void* image;
  const void* unused;
};

struct Candidate {
  TargetId target;
  Bytes code;
};

struct Image {
  std::vector<std::byte> unpacked;
  std::vector<Candidate> candidates;
  std::string others;  // entries that are no AMD GPU code, for the error message
};

Status openImage(Bytes bytes, Image& image) {
  if (isElf(bytes)) {
    ElfView elf;
    if (Status s = parseElf(bytes, elf); !s.ok()) return s;
    image.candidates.push_back({elf.target, bytes});
    return {};
  }
  if (isCompressedBundle(bytes)) {
    if (Status s = decompressBundle(bytes, image.unpacked); !s.ok()) return s;
    bytes = image.unpacked;
  }
  if (!isBundle(bytes)) return Status::invalid("image is neither an ELF code object nor an offload bundle");
  std::vector<BundleEntry> entries;
  if (Status s = parseBundle(bytes, entries); !s.ok()) return s;
  for (BundleEntry& e : entries) {
    if (e.parsed.target) {
      image.candidates.push_back({std::move(*e.parsed.target), e.code});
    } else if (e.parsed.kind != "host") {
      image.others += (image.others.empty() ? "" : ", ") + e.id;
    }
  }
  return {};
}

std::string describe(const Image& image) {
  std::string list;
  for (const Candidate& c : image.candidates) list += (list.empty() ? "" : ", ") + c.target.text();
  if (!image.others.empty()) list += (list.empty() ? "" : ", ") + image.others;
  return list.empty() ? "no device code at all" : list;
}

}  // namespace

Status fatBinaryImage(const void* wrapper, const void*& image) {
  Wrapper w;
  std::memcpy(&w, wrapper, sizeof w);
  if (w.magic == kExternalMagic) return Status::unsupported("fat binary whose code is in an external package (HIPK)");
  if (w.magic != kWrapperMagic || w.version != 1 || !w.image) return Status::invalid("bad fat binary wrapper");
  image = w.image;
  return {};
}

Status imageSize(const void* image, std::size_t& size) {
  // strncmp stops at the first difference, so a foreign image shorter than our longest magic is not overrun.
  const auto begins = [image](std::string_view magic) {
    return std::strncmp(static_cast<const char*>(image), magic.data(), magic.size()) == 0;
  };
  if (begins(kElfMagic)) return elfSize(image, size);
  if (begins(kCompressedBundleMagic)) return compressedBundleSize(image, size);
  if (begins(kBundleMagic)) return bundleSize(image, size);
  return Status::invalid("image is neither an ELF code object nor an offload bundle");
}

Status selectCodeObject(Bytes bytes, const TargetId& device, Selection& out) {
  Image image;
  if (Status s = openImage(bytes, image); !s.ok()) return s;
  std::vector<TargetId> targets;
  for (const Candidate& c : image.candidates) targets.push_back(c.target);
  const auto best = bestMatch(targets, device);
  if (!best) {
    return Status::notFound("no code for " + device.text() + ": the image has " + describe(image));
  }
  out.target = std::move(targets[*best]);
  out.bytes = image.candidates[*best].code;
  out.unpacked = std::move(image.unpacked);
  return {};
}

Status selectCode(Bytes image, std::string_view deviceTarget, Selection& out) {
  TargetId target;
  if (Status status = parseTargetId(deviceTarget, target); !status.ok()) return status;
  return selectCodeObject(image, target, out);
}

Status listTargets(Bytes bytes, std::vector<TargetId>& out) {
  Image image;
  if (Status s = openImage(bytes, image); !s.ok()) return s;
  out.clear();
  for (Candidate& c : image.candidates) out.push_back(std::move(c.target));
  return {};
}

}  // namespace hipr::code
