#include "code_object/test_image.h"

#include <zlib.h>
#include <zstd.h>

#include <cassert>
#include <cstring>

namespace hipr::code::testing {
namespace {

template <class T>
void put(Buffer& out, T value) {
  const auto* p = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), p, p + sizeof value);
}

void put(Buffer& out, std::string_view text) {
  const Bytes b = asBytes(text);
  out.insert(out.end(), b.begin(), b.end());
}

void padTo(Buffer& out, std::size_t size) {
  assert(out.size() <= size);
  out.resize(size);
}

void arg(MsgpackWriter& w, std::uint32_t offset, std::uint32_t size, const char* kind) {
  w.map(3).text(".offset").number(offset).text(".size").number(size).text(".value_kind").text(kind);
}

struct Segment {
  std::uint32_t type, flags;
  std::uint64_t offset, address, fileSize, memorySize, align;
};

void putSegment(Buffer& out, const Segment& s) {
  put(out, s.type), put(out, s.flags), put(out, s.offset), put(out, s.address), put(out, s.address);
  put(out, s.fileSize), put(out, s.memorySize), put(out, s.align);
}

void putSection(Buffer& out, std::uint32_t type, std::uint64_t flags, std::uint64_t offset, std::uint64_t size,
                std::uint32_t link) {
  put(out, std::uint32_t{0}), put(out, type), put(out, flags), put(out, offset), put(out, offset), put(out, size);
  put(out, link), put(out, std::uint32_t{0}), put(out, std::uint64_t{8}), put(out, std::uint64_t{24});
}

struct Symbol {
  const char* name;
  unsigned char info;
  std::uint64_t address, size;
};

}  // namespace

MsgpackWriter& MsgpackWriter::head(unsigned tag, std::uint64_t value, int size) {
  out_.push_back(static_cast<std::byte>(tag));
  for (int i = size - 1; i >= 0; --i) out_.push_back(static_cast<std::byte>(value >> (8 * i)));
  return *this;
}

MsgpackWriter& MsgpackWriter::text(std::string_view value) {
  head(0xdb, value.size(), 4);
  const Bytes b = asBytes(value);
  out_.insert(out_.end(), b.begin(), b.end());
  return *this;
}

Buffer sampleMetadata(int version) {
  MsgpackWriter w;
  w.map(4).text("amdhsa.version").array(2).number(1).number(version == 4 ? 1 : 2);
  w.text("amdhsa.target").text("amdgcn-amd-amdhsa--gfx90a");
  w.text("amdhsa.printf").array(1).text("1:1:4:%d\n");
  w.text("amdhsa.kernels").array(1).map(version < 6 ? 12 : 13);
  w.text(".name").text("scale").text(".symbol").text("scale.kd");
  w.text(".kernarg_segment_size").number(version == 4 ? 72 : 272).text(".kernarg_segment_align").number(8);
  w.text(".group_segment_fixed_size").number(16).text(".private_segment_fixed_size").number(0);
  w.text(".wavefront_size").number(64).text(".max_flat_workgroup_size").number(1024);
  w.text(".sgpr_count").number(20).text(".vgpr_count").number(5).text(".uses_dynamic_stack").boolean(false);
  if (version >= 6) w.text(".uniform_work_group_size").number(1);
  w.text(".args");
  if (version == 4) {
    w.array(6);
    arg(w, 0, 8, "global_buffer"), arg(w, 8, 4, "by_value");
    arg(w, 16, 8, "hidden_global_offset_x"), arg(w, 24, 8, "hidden_global_offset_y");
    arg(w, 32, 8, "hidden_global_offset_z"), arg(w, 40, 8, "hidden_hostcall_buffer");
  } else {
    w.array(9);
    arg(w, 0, 8, "global_buffer"), arg(w, 8, 4, "by_value");
    arg(w, 16, 4, "hidden_block_count_x"), arg(w, 28, 2, "hidden_group_size_x"), arg(w, 34, 2, "hidden_remainder_x");
    arg(w, 80, 2, "hidden_grid_dims"), arg(w, 96, 8, "hidden_hostcall_buffer"), arg(w, 112, 8, "hidden_heap_v1");
    arg(w, 136, 4, "hidden_dynamic_lds_size");
  }
  return w.bytes();
}

Buffer sampleElf(int version, std::uint32_t flags) {
  // File offsets equal addresses up to the end of the data segment.
  constexpr std::uint64_t kDynsym = 0x200, kDynstr = 0x300, kRela = 0x380, kDescriptor = 0x400, kText = 0x500;
  constexpr std::uint64_t kData = 0x1000, kDataFile = 0x20, kDataMemory = 0x40, kNotes = 0x1100;
  const Symbol symbols[] = {{"scale", 0x12, kText, 4},
                            {"scale.kd", 0x11, kDescriptor, 64},
                            {"counter", 0x11, kData, 4},
                            {"where", 0x11, kData + 8, 8},
                            {"again", 0x11, kData + 16, 8},
                            {"shared", 0x11, kData + 0x20, 8},
                            {"shared.managed", 0x11, kData + 4, 4}};
  const std::size_t symbolBytes = 24 * (std::size(symbols) + 1);
  const Buffer metadata = sampleMetadata(version);
  Buffer notes;
  put(notes, std::uint32_t{7}), put(notes, static_cast<std::uint32_t>(metadata.size())), put(notes, std::uint32_t{32});
  put(notes, std::string_view("AMDGPU\0\0", 8));
  notes.insert(notes.end(), metadata.begin(), metadata.end());
  notes.resize((notes.size() + 3) & ~std::size_t{3});
  const std::uint64_t sections = (kNotes + notes.size() + 7) & ~std::uint64_t{7};

  Buffer out;
  put(out, std::string_view("\177ELF\2\1\1\100", 8));
  put(out, static_cast<unsigned char>(version - 2));
  padTo(out, 16);
  put(out, std::uint16_t{3}), put(out, std::uint16_t{224}), put(out, std::uint32_t{1}), put(out, std::uint64_t{0});
  put(out, std::uint64_t{64}), put(out, sections), put(out, flags);
  for (std::uint16_t v : {64, 56, 3, 64, 5, 0}) put(out, v);
  putSegment(out, {1, 5, 0, 0, 0x600, 0x600, 0x1000});
  putSegment(out, {1, 6, kData, kData, kDataFile, kDataMemory, 0x1000});
  putSegment(out, {4, 4, kNotes, kNotes, notes.size(), notes.size(), 4});

  padTo(out, kDynsym + 24);
  Buffer names(1);
  for (const Symbol& s : symbols) {
    put(out, static_cast<std::uint32_t>(names.size())), put(out, s.info), put(out, '\0'), put(out, std::uint16_t{1});
    put(out, s.address), put(out, s.size);
    put(names, std::string_view(s.name, std::strlen(s.name) + 1));
  }
  padTo(out, kDynstr);
  out.insert(out.end(), names.begin(), names.end());
  padTo(out, kRela);
  put(out, kData + 8), put(out, std::uint64_t{13}), put(out, kData);
  put(out, kData + 16), put(out, std::uint64_t{3} << 32 | 3), put(out, std::uint64_t{2});  // symbol 3 is "counter"
  padTo(out, kDescriptor);
  put(out, std::uint32_t{16}), put(out, std::uint32_t{0}), put(out, std::uint32_t{version == 4 ? 72u : 272u});
  padTo(out, kDescriptor + 16);
  put(out, kText - kDescriptor);
  padTo(out, kDescriptor + 48);
  put(out, std::uint32_t{0x00af0000}), put(out, std::uint32_t{0x90}), put(out, std::uint16_t{8});
  padTo(out, kText);
  put(out, std::uint32_t{0xbf810000});  // s_endpgm
  padTo(out, kData);
  put(out, std::uint32_t{7}), put(out, std::uint32_t{42});
  padTo(out, kNotes);
  out.insert(out.end(), notes.begin(), notes.end());
  padTo(out, sections);
  out.resize(out.size() + 64);
  putSection(out, 11, 2, kDynsym, symbolBytes, 2);
  putSection(out, 3, 2, kDynstr, names.size(), 0);
  putSection(out, 4, 2, kRela, 48, 1);
  putSection(out, 7, 0, kNotes, notes.size(), 0);
  return out;
}

Buffer sampleBundle(const std::vector<std::pair<std::string, Buffer>>& entries) {
  Buffer out;
  put(out, std::string_view("__CLANG_OFFLOAD_BUNDLE__"));
  put(out, std::uint64_t{entries.size()});
  std::uint64_t table = 32;
  for (const auto& [id, code] : entries) table += 24 + id.size();
  std::uint64_t at = (table + 4095) & ~std::uint64_t{4095};
  for (const auto& [id, code] : entries) {
    put(out, at), put(out, std::uint64_t{code.size()}), put(out, std::uint64_t{id.size()}),
        put(out, std::string_view(id));
    at = (at + code.size() + 4095) & ~std::uint64_t{4095};
  }
  for (const auto& [id, code] : entries) {
    padTo(out, (out.size() + 4095) & ~std::size_t{4095});
    out.insert(out.end(), code.begin(), code.end());
  }
  return out;
}

Buffer compressBundle(Bytes plain, int headerVersion, Packing packing) {
  Buffer packed;
  if (packing == Packing::kZstd) {
    packed.resize(ZSTD_compressBound(plain.size()));
    packed.resize(ZSTD_compress(packed.data(), packed.size(), plain.data(), plain.size(), 3));
  } else {
    uLongf size = compressBound(plain.size());
    packed.resize(size);
    compress(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(plain.data()),
             plain.size());
    packed.resize(size);
  }
  Buffer out;
  put(out, std::string_view("CCOB")), put(out, static_cast<std::uint16_t>(headerVersion));
  put(out, static_cast<std::uint16_t>(packing));
  const std::uint64_t total = (headerVersion == 1 ? 20 : headerVersion == 2 ? 24 : 32) + packed.size();
  if (headerVersion == 2) put(out, static_cast<std::uint32_t>(total));
  if (headerVersion == 3) put(out, total);
  if (headerVersion == 3) {
    put(out, std::uint64_t{plain.size()});
  } else {
    put(out, static_cast<std::uint32_t>(plain.size()));
  }
  put(out, std::uint64_t{0});
  out.insert(out.end(), packed.begin(), packed.end());
  return out;
}

}  // namespace hipr::code::testing
