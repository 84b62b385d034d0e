// From anything an application hands over as "code" to the one code object that suits a device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "code_object/bytes.h"
#include "code_object/target_id.h"

namespace hipr::code {

// The image a compiler-made wrapper (section .hipFatBinSegment, the argument of __hipRegisterFatBinary) points to.
// REQUIRES: wrapper points to 24 readable bytes.
Status fatBinaryImage(const void* wrapper, const void*& image);

// The size of an ELF, bundle or compressed bundle of which only the address is known, from its own tables.
// REQUIRES: memory readable as far as those tables reach.
Status imageSize(const void* image, std::size_t& size);

// The chosen code object. `bytes` points into the image, or into `unpacked` when the image was compressed; move only,
// so that it stays valid.
struct Selection {
  Selection() = default;
  Selection(Selection&&) = default;
  Selection& operator=(Selection&&) = default;

  TargetId target;
  Bytes bytes;
  std::vector<std::byte> unpacked;
};

// kNotFound with a message listing the image's targets when none fits (hipErrorNoBinaryForGpu); kInvalid when the image
// is malformed (hipErrorInvalidImage).
Status selectCodeObject(Bytes image, const TargetId& device, Selection& out);

// The same by the name of the device's target, as its properties say it ("gfx90a:sramecc+:xnack-").
Status selectCode(Bytes image, std::string_view deviceTarget, Selection& out);

// What selectCodeObject chooses from.
Status listTargets(Bytes image, std::vector<TargetId>& out);

}  // namespace hipr::code
