#include "smi/views.h"

#include <gtest/gtest.h>

#include "smi/format.h"
#include "smi/json.h"

namespace hipr::smi {
namespace {

HostReport rackMachine(const std::string& host) {
  HostReport report;
  report.host = host;
  report.port = 18515;
  report.hostName = host + ".lab";
  report.source = "amdsmi";
  report.gpus.resize(2);
  report.readings.resize(2);
  for (unsigned i = 0; i < 2; ++i) {
    report.gpus[i].name = "Test GPU";
    report.gpus[i].uuid = "uuid-" + std::to_string(i);
    report.gpus[i].memoryBytes = std::uint64_t{64} << 30;
  }
  report.gpus[1].origin = telemetry::Origin::Software;
  report.readings[0].powerWatts = 123.4;
  report.readings[0].memoryUsedBytes = std::uint64_t{16} << 30;
  telemetry::Process& process = report.processes.emplace_back();
  process.pid = 77;
  process.name = "train";
  process.client = "desk:5";
  telemetry::Link& link = report.links.emplace_back();
  link.to = 1;
  link.kind = telemetry::LinkKind::Fabric;
  link.hops = 1;
  return report;
}

HostReport deadMachine() {
  HostReport report;
  report.host = "dead";
  report.port = 18515;
  report.status = Status::unavailable("refused");
  return report;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Format, ReadsWell) {
  EXPECT_EQ(bytesText(std::uint64_t{0}), "0 B");
  EXPECT_EQ(bytesText(std::uint64_t{1536}), "1.5 KiB");
  EXPECT_EQ(bytesText(std::uint64_t{64} << 30), "64 GiB");
  EXPECT_EQ(bytesText(~std::uint64_t{0}), "16 EiB");
  EXPECT_EQ(valueText(telemetry::Maybe<double>(61.26), " C", 1), "61.3 C");
  EXPECT_EQ(valueText(telemetry::Maybe<double>(), " C"), "N/A");
  EXPECT_EQ(printable("a\x1b[2Jb\n"), "a?[2Jb?");
}

TEST(Views, MetricsShowWhatThereIsAndSayWhatIsNot) {
  const std::string text = joined(metricsView({rackMachine("a")}, {}));
  EXPECT_TRUE(has(text, "123 W"));
  EXPECT_TRUE(has(text, "16 GiB / 64 GiB"));
  EXPECT_TRUE(has(text, "25.0%"));
  EXPECT_TRUE(has(text, "N/A"));
  EXPECT_TRUE(has(text, "1*"));
  EXPECT_TRUE(has(text, "software GPU"));
  EXPECT_FALSE(has(text, "HOST"));
}

TEST(Views, SeveralHostsAreOneTable) {
  const Lines lines = metricsView({rackMachine("a"), deadMachine(), rackMachine("b")}, ViewOptions{0, true});
  ASSERT_EQ(lines.size(), 4u);  // title, line, two GPUs
  EXPECT_TRUE(lines[0].starts_with("HOST"));
  EXPECT_TRUE(lines[2].starts_with("a "));
  EXPECT_TRUE(lines[3].starts_with("b "));
  const std::string failure = failureLine(deadMachine());
  EXPECT_TRUE(has(failure, "dead:18515"));
  EXPECT_TRUE(has(failure, "hip-worker"));
}

TEST(Views, AFailureSaysOnceWhereAndAsksOnlyWhatIsNotKnown) {
  HostReport report = deadMachine();
  report.status = Status::unavailable("dead:18515: Connection refused");
  EXPECT_TRUE(has(failureLine(report), "smi-remote: dead:18515: Connection refused (is hip-worker running there"));
  report.status = Status::unavailable("refused: this worker wants a token; set HIP_REMOTE_TOKEN");
  EXPECT_TRUE(failureLine(report).ends_with("HIP_REMOTE_TOKEN"));
  report.status = Status::unavailable("cannot resolve \"dead\": Name or service not known");
  EXPECT_TRUE(failureLine(report).ends_with("not known"));
}

TEST(Views, ForeignTextCannotMoveTheCursor) {
  HostReport report = rackMachine("a");
  report.gpus[0].name = "\x1b[2J evil";
  report.processes[0].client = "x\x1b]0;title\x07";
  for (const Lines& lines : {listView({report}, {}), metricsView({report}, {}), powerView({report}, {}),
                             processesView({report}, {}), topologyView({report}), infoView({report}, {})}) {
    ASSERT_FALSE(lines.empty());
    EXPECT_FALSE(has(joined(lines), "\x1b"));
  }
}

TEST(Views, ProcessesAndTopology) {
  EXPECT_TRUE(has(joined(processesView({rackMachine("a")}, {})), "desk:5"));
  EXPECT_EQ(processesView({rackMachine("a")}, ViewOptions{1, false}), Lines{"no process uses these GPUs"});
  EXPECT_TRUE(has(joined(topologyView({rackMachine("a")})), "XGMI 1"));
}

TEST(Json, AbsentIsNullAndErrorsAreTold) {
  const Json document = toJson(Command::Metrics, {rackMachine("a"), deadMachine()}, std::nullopt);
  EXPECT_EQ(document["command"], "metrics");
  const Json& gpu = document["hosts"][0]["gpus"][0];
  EXPECT_EQ(gpu["metrics"]["power_watts"], 123.4);
  EXPECT_TRUE(gpu["metrics"]["busy_percent"].is_null());
  EXPECT_EQ(gpu["origin"], "hardware");
  EXPECT_EQ(document["hosts"][0]["gpus"][1]["origin"], "software");
  EXPECT_EQ(document["hosts"][1]["ok"], false);
  EXPECT_EQ(document["hosts"][1]["error"], "refused");
  EXPECT_EQ(toJson(Command::Metrics, {rackMachine("a")}, 1)["hosts"][0]["gpus"].size(), 1u);
}

TEST(Csv, QuotesAndLeavesAbsentValuesEmpty) {
  HostReport report = rackMachine("a");
  report.gpus[0].name = "A \"quoted\", name";
  const std::string csv = toCsv(toJson(Command::List, {report, deadMachine()}, std::nullopt));
  EXPECT_TRUE(csv.starts_with("host,gpu,name,uuid,bdf,"));
  EXPECT_TRUE(has(csv, "a,0,\"A \"\"quoted\"\", name\",uuid-0,,"));
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3);
}

TEST(Csv, NamesSayNothingToATerminal) {
  HostReport report = rackMachine("a");
  report.gpus[0].name = "a\x1b[2Jb\n";
  const std::string csv = toCsv(toJson(Command::List, {report}, std::nullopt));
  EXPECT_TRUE(has(csv, "a,0,a?[2Jb?,")) << csv;
}

}  // namespace
}  // namespace hipr::smi
