#include "telemetry/amdsmi_layout.h"

#include <algorithm>
#include <cstring>

namespace hipr::telemetry::amdsmi {

std::string Version::text() const {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

std::uint64_t Answer::raw(Field field, std::size_t base) const {
  std::uint64_t value = 0;
  if (base + field.at + field.width <= bytes_.size())
    std::memcpy(&value, bytes_.data() + base + field.at, field.width);  // little-endian, as every host of such a GPU
  return value;
}

std::optional<std::uint64_t> Answer::number(Field field, std::size_t base) const {
  if (field.width == 0 || base + field.at + field.width > bytes_.size()) return std::nullopt;
  const std::uint64_t value = raw(field, base);
  const std::uint64_t ones = ~std::uint64_t{0} >> (64 - 8 * field.width);
  if (value == ones || (field.width > 2 && value == 0xFFFF)) return std::nullopt;
  return value;
}

std::string Answer::text(Text field, std::size_t base) const {
  if (base + field.at + field.size > bytes_.size()) return "";
  const char* start = reinterpret_cast<const char*>(bytes_.data()) + base + field.at;
  std::string text(start, strnlen(start, field.size));
  std::erase_if(text, [](char c) { return c < ' ' || c > '~'; });  // all ones are "not available" here too
  const std::size_t end = text.find_last_not_of(' ');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return text == "N/A" ? "" : text;
}

Version versionFrom(const Answer& answer) {
  std::uint32_t words[4] = {};
  for (std::uint16_t i = 0; i < 4; ++i)
    words[i] = static_cast<std::uint32_t>(answer.raw({static_cast<std::uint16_t>(4 * i), 4}));
  if (words[0] == 25 && words[1] == 25) return {words[1], words[2], words[3]};
  return {words[0], words[1], words[2]};
}

// The history of the structures: what ROCm 6.0 had, then what each release changed.
Layout layoutOf(const Version& version) {
  const auto since = [&version](std::uint32_t major, std::uint32_t minor) {
    return version >= Version{major, minor, 0};
  };
  Layout l;
  l.asic.name = {0, 64};
  if (since(28, 0)) return l;

  l.asic = {.name = {0, 64},
            .serial = {148, 32},
            .vendorId = {64, 4},
            .deviceId = {136, 8},
            .subvendorId = {132, 4},
            .subsystemId = {},
            .revision = {144, 4},
            .computeUnits = {},
            .target = {},
            .targetIsHex = false};
  l.board = {.model = {1, 32}, .product = {129, 128}, .manufacturer = {97, 32}};
  l.driver = {.name = {0, 64}, .version = {64, 64}};
  l.vbios = {.version = {160, 32}};
  l.vram = {.type = {0, 4}, .megabytes = {8, 8}, .bits = {}, .oldTypes = true};
  l.power = {.current = {0, 4}, .average = {4, 4}, .voltage = {8, 4}};
  l.metrics = {.voltage = {106, 2},
               .independentThrottle = {112, 8},
               .socketPower = {120, 2},
               .engineClock = {312, 2},
               .fabricRead = 184,
               .fabricWritten = 248};
  l.pcieInfo = since(24, 0);
  if (since(24, 0)) {  // ROCm 6.1
    l.board = {.model = {0, 32}, .product = {96, 128}, .manufacturer = {224, 32}};
    l.driver = {.name = {128, 64}, .version = {0, 64}};
    l.process = {.size = 224, .name = {0, 32}, .pid = {32, 4}, .memory = {40, 8}, .vram = {128, 8}, .computeUnits = {}};
  }
  if (since(24, 6)) {  // 6.2
    l.asic = {.name = {0, 256},
              .serial = {340, 32},
              .vendorId = {256, 4},
              .deviceId = {328, 8},
              .subvendorId = {324, 4},
              .subsystemId = {},
              .revision = {336, 4},
              .computeUnits = {},
              .target = {},
              .targetIsHex = false};
    l.board = {.model = {0, 256}, .product = {320, 256}, .manufacturer = {576, 64}};
    l.vram.oldTypes = false;
  }
  if (since(24, 7)) {  // 6.3
    l.asic.computeUnits = {376, 4};
    l.asic.target = {384, 8};
    l.vram.bits = {16, 4};
  }
  if (since(25, 0)) {  // 6.4
    l.asic = {.name = {0, 256},
              .serial = {532, 256},
              .vendorId = {256, 4},
              .deviceId = {520, 8},
              .subvendorId = {516, 4},
              .subsystemId = {},
              .revision = {528, 4},
              .computeUnits = {792, 4},
              .target = {800, 8},
              .targetIsHex = true};
    l.board = {.model = {0, 256}, .product = {768, 256}, .manufacturer = {1024, 256}};
    l.driver = {.name = {512, 256}, .version = {0, 256}};
    l.vbios = {.version = {544, 256}};
    l.power = {.current = {8, 4}, .average = {12, 4}, .voltage = {16, 4}};
    l.process = {
        .size = 704, .name = {0, 256}, .pid = {256, 4}, .memory = {264, 8}, .vram = {352, 8}, .computeUnits = {}};
  }
  if (since(25, 5)) l.process.computeUnits = {656, 4};  // 6.4.2
  if (since(26, 0)) {                                   // 7.0
    l.asic.subsystemId = {808, 4};
    l.vbios = {.version = {768, 256}};
    l.vram = {.type = {0, 4}, .megabytes = {264, 8}, .bits = {272, 4}, .oldTypes = false};
    l.power.voltage = {16, 8};
  }
  if (since(27, 0)) {  // 10.0: counters of 64 bits pushed the rest back
    l.metrics = {.voltage = {114, 2},
                 .independentThrottle = {120, 8},
                 .socketPower = {128, 2},
                 .engineClock = {320, 2},
                 .fabricRead = 192,
                 .fabricWritten = 256};
  }
  return l;
}

std::string memoryTypeName(std::uint64_t type, bool oldTypes) {
  struct Name {
    std::uint64_t type;
    const char* name;
  };
  static constexpr Name kOld[] = {{1, "GDDR1"}, {2, "DDR2"}, {3, "GDDR3"}, {4, "GDDR4"}, {5, "GDDR5"},
                                  {6, "HBM"},   {7, "DDR3"}, {8, "DDR4"},  {9, "GDDR6"}};
  static constexpr Name kNew[] = {{1, "HBM"},    {2, "HBM2"},    {3, "HBM2E"},  {4, "HBM3"},   {5, "HBM3E"},
                                  {10, "DDR2"},  {11, "DDR3"},   {12, "DDR4"},  {13, "DDR5"},  {17, "GDDR1"},
                                  {18, "GDDR2"}, {19, "GDDR3"},  {20, "GDDR4"}, {21, "GDDR5"}, {22, "GDDR6"},
                                  {23, "GDDR7"}, {30, "LPDDR4"}, {31, "LPDDR5"}};
  const auto find = [type](const auto& table) -> std::string {
    const auto row = std::ranges::find(table, type, &Name::type);
    return row == std::end(table) ? "" : row->name;
  };
  return oldTypes ? find(kOld) : find(kNew);
}

}  // namespace hipr::telemetry::amdsmi
