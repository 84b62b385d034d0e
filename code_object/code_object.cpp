#include "code_object/code_object.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace hipr::code {
namespace {

constexpr std::string_view kDescriptorSuffix = ".kd";
constexpr std::string_view kManagedSuffix = ".managed";

enum Relocation : std::uint32_t {
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13,
};

Status bad(const std::string& what) {
  return Status::invalid("code object: " + what);
}

}  // namespace

Status parseCode(Bytes bytes, std::unique_ptr<const GpuCode>& out) {
  auto object = std::make_unique<CodeObject>();
  if (Status status = CodeObject::parse(bytes, *object); !status.ok()) return status;
  out = std::move(object);
  return {};
}

std::string ContentHash::hex() const {
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(high),
                static_cast<unsigned long long>(low));
  return text;
}

ContentHash hashContent(Bytes bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

Status CodeObject::parse(Bytes bytes, CodeObject& out) {
  CodeObject object;
  if (Status s = parseElf(bytes, object.elf_); !s.ok()) return s;
  for (const ElfSegment& segment : object.elf_.segments) {
    object.loadSize_ = std::max(object.loadSize_, segment.address + segment.memorySize);
    object.loadAlignment_ = std::max(object.loadAlignment_, segment.alignment);
  }
  std::unordered_map<std::string_view, std::size_t> symbols;
  for (std::size_t i = 0; i < object.elf_.symbols.size(); ++i) {
    if (object.elf_.symbols[i].defined) symbols.emplace(object.elf_.symbols[i].name, i);
  }
  Metadata metadata;
  if (Status s = parseMetadata(object.elf_.metadataNotes, metadata); !s.ok()) return s;
  object.printfFormats_ = std::move(metadata.printfFormats);
  if (Status s = object.addKernels(std::move(metadata), symbols); !s.ok()) return s;
  object.addVariables(symbols);
  out = std::move(object);
  return {};
}

// The file bytes behind [address, address + size) of the loaded image; false where there are none (.bss, gaps).
bool CodeObject::loadedBytes(std::uint64_t address, std::uint64_t size, Bytes& out) const {
  for (const ElfSegment& s : elf_.segments) {
    if (address >= s.address && slice(s.data, address - s.address, size, out)) return true;
  }
  return false;
}

Status CodeObject::addKernels(Metadata metadata, const std::unordered_map<std::string_view, std::size_t>& symbols) {
  for (KernelMetadata& m : metadata.kernels) {
    Kernel k;
    const auto found = symbols.find(m.symbol);
    if (found == symbols.end()) return bad("kernel " + m.name + " has no descriptor symbol " + m.symbol);
    k.descriptorAddress = elf_.symbols[found->second].address;
    Bytes raw;
    if (!loadedBytes(k.descriptorAddress, KernelDescriptor::kSize, raw) ||
        !KernelDescriptor::decode(raw, k.descriptor)) {
      return bad("descriptor of kernel " + m.name + " lies outside the code object");
    }
    k.entryAddress = k.descriptorAddress + static_cast<std::uint64_t>(k.descriptor.entryOffset);
    Bytes firstInstruction;
    if (!loadedBytes(k.entryAddress, 4, firstInstruction)) {
      return bad("entry of kernel " + m.name + " lies outside the code object");
    }
    k.metadata = std::move(m);
    if (kernelIndex_.emplace(k.metadata.name, kernels_.size()).second) kernels_.push_back(std::move(k));
  }
  return {};
}

void CodeObject::addVariables(const std::unordered_map<std::string_view, std::size_t>& symbols) {
  for (const ElfSymbol& symbol : elf_.symbols) {
    if (!symbol.defined || symbol.type != ElfSymbol::kObject || symbol.name.empty()) continue;
    if (symbol.name.ends_with(kDescriptorSuffix) || symbol.name.ends_with(kManagedSuffix)) continue;
    std::uint64_t end;
    if (!addChecked(symbol.address, symbol.size, end) || end > loadSize_) continue;  // not part of the image
    Variable v{std::string(symbol.name), symbol.address, symbol.size};
    const auto initial = symbols.find(v.name + std::string(kManagedSuffix));
    if (initial != symbols.end() && v.size == sizeof(std::uint64_t)) {
      const ElfSymbol& value = elf_.symbols[initial->second];
      if (addChecked(value.address, value.size, end) && end <= loadSize_) {
        v.managed = true;
        v.initialAddress = value.address;
        v.initialSize = value.size;
      }
    }
    if (variableIndex_.emplace(v.name, variables_.size()).second) variables_.push_back(std::move(v));
  }
}

const Kernel* CodeObject::findKernel(std::string_view name) const {
  const auto found = kernelIndex_.find(std::string(name));
  return found == kernelIndex_.end() ? nullptr : &kernels_[found->second];
}

std::vector<const GpuKernel*> CodeObject::allKernels() const {
  std::vector<const GpuKernel*> all;
  for (const Kernel& kernel : kernels_) all.push_back(&kernel);
  return all;
}

std::vector<std::byte> CodeObject::initialBytes(std::uint64_t address, std::uint64_t size) const {
  std::vector<std::byte> value(size);
  for (const ElfSegment& segment : elf_.segments) {
    const std::uint64_t begin = std::max(address, segment.address);
    const std::uint64_t end = std::min(address + size, segment.address + segment.data.size());
    if (begin < end) std::memcpy(&value[begin - address], &segment.data[begin - segment.address], end - begin);
  }
  return value;
}

const Variable* CodeObject::findVariable(std::string_view name) const {
  const auto found = variableIndex_.find(std::string(name));
  return found == variableIndex_.end() ? nullptr : &variables_[found->second];
}

std::uint64_t CodeObject::footprint() const {
  constexpr std::uint64_t kEntry = 96;  // of an index, besides a long name
  std::uint64_t bytes = elf_.symbols.size() * sizeof(ElfSymbol) + elf_.relocations.size() * sizeof(ElfRelocation);
  for (const std::string& format : printfFormats_) bytes += sizeof format + format.size();
  for (const Variable& variable : variables_) bytes += sizeof variable + 2 * variable.name.size() + kEntry;
  for (const Kernel& kernel : kernels_) {
    bytes += sizeof kernel + 2 * kernel.metadata.name.size() + kernel.metadata.symbol.size() + kEntry;
    for (const KernelArg& arg : kernel.metadata.args) bytes += sizeof arg + arg.name.size() + arg.typeName.size();
  }
  return bytes;
}

Status CodeObject::load(std::span<std::byte> memory, std::uint64_t base) const {
  if (memory.size() < loadSize_) return bad("not enough room to load it");
  if (base % loadAlignment_ != 0) return bad("load address is not aligned");
  std::fill_n(memory.begin(), loadSize_, std::byte{0});
  for (const ElfSegment& s : elf_.segments) {
    std::copy(s.data.begin(), s.data.end(), memory.begin() + static_cast<std::ptrdiff_t>(s.address));
  }
  for (const ElfRelocation& r : elf_.relocations) {
    if (Status s = relocate(r, memory, base); !s.ok()) return s;
  }
  return {};
}

Status CodeObject::relocate(const ElfRelocation& r, std::span<std::byte> memory, std::uint64_t base) const {
  const auto store = [&](std::uint64_t value, std::size_t size) -> Status {
    if (r.address > loadSize_ || size > loadSize_ - r.address) return bad("relocation outside the code object");
    std::memcpy(memory.data() + r.address, &value, size);  // little-endian: the low bytes come first
    return {};
  };
  const std::uint64_t addend = static_cast<std::uint64_t>(r.addend);
  if (r.type == kNone) return {};
  if (r.type == kRelative64) return store(base + addend, 8);

  const ElfSymbol* symbol = r.symbol ? &elf_.symbols[r.symbol] : nullptr;
  if (symbol && !symbol->defined && !symbol->weak) {
    return Status::notFound("code object: undefined symbol " + std::string(symbol->name));
  }
  const std::uint64_t target = (symbol && symbol->defined ? base + symbol->address : 0) + addend;
  const std::uint64_t relative = target - (base + r.address);
  switch (r.type) {
    case kAbs64:
      return store(target, 8);
    case kAbs32:
    case kAbs32Lo:
      return store(target, 4);
    case kAbs32Hi:
      return store(target >> 32, 4);
    case kRel64:
      return store(relative, 8);
    case kRel32:
    case kRel32Lo:
      return store(relative, 4);
    case kRel32Hi:
      return store(relative >> 32, 4);
    default:
      return Status::unsupported("code object: relocation type " + std::to_string(r.type));
  }
}

}  // namespace hipr::code
