#include <algorithm>
#include <cstdio>

#include "bench/bench.h"

namespace hipr::bench {
namespace {

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  return text;
}

}  // namespace

void Report::section(const std::string& title) {
  sections_.push_back({title, {}});
  std::fprintf(stderr, "measuring: %s\n", title.c_str());
}

void Report::add(const std::string& what, double value, const std::string& unit) {
  sections_.back().rows.push_back({what, value, unit, "", true});
}

void Report::atMost(const std::string& what, double value, const std::string& unit, double limit) {
  sections_.back().rows.push_back({what, value, unit, "<= " + number(limit), value <= limit});
}

void Report::atLeast(const std::string& what, double value, const std::string& unit, double limit) {
  sections_.back().rows.push_back({what, value, unit, ">= " + number(limit), value >= limit});
}

void Report::print() const {
  for (const Section& section : sections_) {
    std::printf("\n%s\n", section.title.c_str());
    for (const Row& row : section.rows) {
      std::printf("  %-58s %10s %-7s", row.what.c_str(), number(row.value).c_str(), row.unit.c_str());
      if (!row.target.empty()) std::printf(" %-9s %s", row.target.c_str(), row.met ? "ok" : "MISSED");
      std::printf("\n");
    }
  }
}

nlohmann::json Report::json() const {
  nlohmann::json out = nlohmann::json::array();
  for (const Section& section : sections_) {
    for (const Row& row : section.rows) {
      nlohmann::json entry = {{"section", section.title}, {"what", row.what}, {"value", row.value}, {"unit", row.unit}};
      if (!row.target.empty()) entry.update({{"target", row.target}, {"met", row.met}});
      out.push_back(entry);
    }
  }
  return out;
}

bool Report::allMet() const {
  return std::all_of(sections_.begin(), sections_.end(), [](const Section& s) {
    return std::all_of(s.rows.begin(), s.rows.end(), [](const Row& row) { return row.met; });
  });
}

}  // namespace hipr::bench
