// The reports as JSON (docs/schema/smi-metrics.schema.json describes it) and as CSV made of the same records.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "smi/options.h"
#include "smi/views.h"

namespace hipr::smi {

using Json = nlohmann::ordered_json;

Json toJson(Command command, const Reports& reports, const std::optional<unsigned>& gpu);

// One line per GPU, process or link, with its host in front; the first line names the fields.
std::string toCsv(const Json& document);

}  // namespace hipr::smi
