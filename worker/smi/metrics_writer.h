// Writes the text format of Prometheus: families of samples with their labels.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hipr::worker {

class MetricsWriter {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // Starts a family; it is written with its first sample, so a family without any leaves no trace.
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = name, type_ = type, help_ = help;
    pending_ = true;
  }
  void add(const Labels& labels, std::uint64_t value) { line(labels, std::to_string(value)); }
  void add(const Labels& labels, double value) {
    char text[40];
    std::snprintf(text, sizeof text, "%.10g", std::isfinite(value) ? value : 0.0);
    line(labels, text);
  }
  std::string take() { return std::move(out_); }

 private:
  void line(const Labels& labels, const std::string& value) {
    if (std::exchange(pending_, false)) {
      append({"# HELP ", name_, " ", help_, "\n# TYPE ", name_, " ", type_, "\n"});
    }
    out_ += name_;
    const char* before = "{";
    for (const auto& [key, text] : labels) {
      append({before, key, "=\""});
      escape(text);
      out_ += '"';
      before = ",";
    }
    if (!labels.empty()) out_ += '}';
    append({" ", value, "\n"});
  }
  void append(std::initializer_list<std::string_view> parts) {
    for (const std::string_view part : parts) out_ += part;
  }
  // Names come from client machines: anything may be in them.
  void escape(std::string_view text) {
    for (const char c : text) {
      if (c == '\\' || c == '"') {
        out_ += '\\';
        out_ += c;
      } else {
        const auto byte = static_cast<unsigned char>(c);
        out_ += byte < 0x20 || byte >= 0x7f ? '?' : c;
      }
    }
  }

  std::string out_;
  std::string_view name_, type_, help_;
  bool pending_ = false;
};

}  // namespace hipr::worker
