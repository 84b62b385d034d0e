// Every row of api/hip.def that is carried to a worker, called as the book says, costs what its verb says. The verbs
// are nowhere but in the rows, so what a call costs is changed there. HIPR_ROWS_ABI chooses the soname; each has rows
// of its own.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>

#include "testing/worker_process.h"
#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/graph_scene.h"

namespace hipr::rows {
namespace {

// In the order of what they cost; the last two are not carried.
enum class Verb { Local, Post, Wait, Direct, Todo };

struct Row {
  const char* symbol;  // the linker name
  const char* entry;   // the row it is called as
  const char* abis;
  Verb verb;

  bool in(int abi) const { return std::strchr(abis, '0' + abi) != nullptr; }
  bool carried() const { return verb != Verb::Direct && verb != Verb::Todo; }
};

const Row kRows[] = {
#define HIP_API(name, node, abis, verb, arity) {#name, #name, #abis, Verb::verb},
#define HIP_API_SPT(name, base, node, abis, verb, arity) {#name, #base, #abis, Verb::verb},
#define HIP_API_CXX(name, symbol, node, abis, verb, arity) {symbol, #name, #abis, Verb::verb},
#include "api/hip.def"
};

const Book& book() {
  static const Book all = [] {
    Book b;
    addCompilerRows(b), addContextRows(b), addCopyRows(b), addCopyShapeRows(b), addDeviceRows(b), addEventRows(b);
    addExecutionContextRows(b), addFillRows(b), addImageRows(b), addInteropRows(b), addArrayRows(b), addIpcRows(b),
        addHiprtcRows(b), addLaunchRows(b), addLibraryRows(b), addManagedRows(b), addMemoryRows(b), addModuleRows(b);
    addOtherRows(b), addPoolRows(b), addStreamRows(b), addSymbolRows(b), addVmmRows(b);
    addGraphRows(b), addGraphNodeRows(b), addGraphExecRows(b);
    return b;
  }();
  return all;
}

const char* nameOf(Verb verb) {
  switch (verb) {
    case Verb::Local:
      return "Local";
    case Verb::Post:
      return "Post";
    case Verb::Wait:
      return "Wait";
    case Verb::Direct:
      return "Direct";
    case Verb::Todo:
      return "Todo";
  }
  return "?";
}

int waitsOf(Verb verb) {
  return verb == Verb::Wait ? 1 : 0;
}

Verb priceOf(const Entry& entry, const Row& row) {
  if (entry.price == Price::kVerb) return row.verb;
  return entry.price == Price::kLocal ? Verb::Local : Verb::Post;
}

int abiUnderTest() {
  const char* text = std::getenv("HIPR_ROWS_ABI");
  return text ? std::atoi(text) : 7;
}

class Rows : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("HIP_REMOTE_SOFTGPU", "gfx90ax2", 1);
    setenv("HIP_REMOTE_SOFTGPU_MEMORY", "8192", 1);  // MiB
    worker_ = new testing::WorkerProcess;
    gate_ = new Gate(worker_->port());
    setenv("TF_WORKER_HOST", "127.0.0.1", 1);
    setenv("HIP_REMOTE_TRANSPORT", "tcp", 1);  // what rows cost over a network
    setenv("TF_WORKER_PORT", std::to_string(gate_->port()).c_str(), 1);
    scene_ = new Scene(abiUnderTest(), *gate_);
  }
  // Worker and gate stay: the library says goodbye through them when the process ends.
  static void TearDownTestSuite() { delete scene_; }

  static Cost measure(const Entry& entry, void* function, Verb expected) {
    scene_->allow(waitsOf(expected));
    entry.run(*scene_, function);
    const auto cost = scene_->takeCost();
    EXPECT_TRUE(cost) << "the entry measured nothing";
    return cost.value_or(Cost{});
  }

  static inline testing::WorkerProcess* worker_ = nullptr;
  static inline Gate* gate_ = nullptr;
  static inline Scene* scene_ = nullptr;
};

// Without this the others would pass whatever a call did.
TEST_F(Rows, AWaitThatNobodyExpectsIsSeen) {
  Scene& s = *scene_;
  const auto synchronize =
      reinterpret_cast<decltype(&::hipDeviceSynchronize)>(dlsym(s.library, "hipDeviceSynchronize"));
  s.allow(0);
  s.call(synchronize);
  EXPECT_EQ(s.takeCost()->waits, 1);
  s.allow(5);
  s.call(synchronize);
  EXPECT_EQ(s.takeCost()->waits, 1);
}

TEST_F(Rows, EveryCarriedRowHasAnEntryAndEveryEntryARow) {
  std::set<std::string> carried;
  for (const Row& row : kRows)
    if (row.carried()) carried.insert(row.entry);
  for (const std::string& name : carried) EXPECT_TRUE(book().rows().contains(name)) << name << " has no entry";
  for (const auto& [name, entries] : book().rows()) {
    EXPECT_TRUE(carried.contains(name)) << name << " has an entry but is not carried";
    const auto asTheRow = [](const Entry& entry) { return entry.price == Price::kVerb; };
    EXPECT_TRUE(std::any_of(entries.begin(), entries.end(), asTheRow)) << name << " has no standard call";
  }
}

TEST_F(Rows, EveryCarriedRowCostsWhatItsVerbSays) {
  constexpr int kRepeats = 3;
  int walked = 0, calls = 0;
  std::map<std::string, int> verbs;
  for (const Row& row : kRows) {
    if (!row.carried() || !row.in(abiUnderTest())) continue;
    void* function = dlsym(scene_->library, row.symbol);
    EXPECT_NE(function, nullptr) << row.symbol;
    const auto found = book().rows().find(row.entry);
    if (function == nullptr || found == book().rows().end()) continue;  // told above
    ++walked;
    ++verbs[nameOf(row.verb)];
    for (const Entry& entry : found->second) {
      const Verb expected = priceOf(entry, row);
      EXPECT_TRUE(entry.price == Price::kVerb || expected < row.verb)
          << row.symbol << ", " << entry.what << ": not cheaper than the row, which says " << nameOf(row.verb);
      for (int i = 0; i < kRepeats; ++i, ++calls) {
        SCOPED_TRACE(std::string(row.symbol) + ", " + entry.what);
        const Cost cost = measure(entry, function, expected);
        EXPECT_EQ(cost.waits, waitsOf(expected)) << nameOf(expected);
        if (cost.waits == 0) {  // whoever waits may wait for what was sent before
          EXPECT_EQ(cost.messages != 0, expected != Verb::Local) << nameOf(expected) << ", " << cost.messages;
        }
      }
    }
  }
  std::printf("libamdhip64.so.%d: %d rows walked (%d Local, %d Post, %d Wait), %d calls measured\n", abiUnderTest(),
              walked, verbs["Local"], verbs["Post"], verbs["Wait"], calls);
}

// However many nodes it has: the worker knows them.
TEST_F(Rows, LaunchingAGraphIsOneMessage) {
  Scene& s = *scene_;
  const auto launch = reinterpret_cast<decltype(&::hipGraphLaunch)>(dlsym(s.library, "hipGraphLaunch"));
  OwnGraph own(s);
  for (int i = 0; i < 200; ++i) own.addKernel();
  hipGraphExec_t exec = nullptr;
  HIPR_OK(s, hipGraphInstantiate(&exec, own.graph, nullptr, nullptr, 0));
  s.allow(0);
  for (int i = 0; i < 3; ++i) {
    s.call(launch, exec, s.stream);
    const auto cost = s.takeCost();
    ASSERT_TRUE(cost);
    EXPECT_EQ(cost->messages, 1u);
    EXPECT_EQ(cost->waits, 0);
  }
  HIPR_OK(s, hipGraphExecDestroy(exec));
}

}  // namespace
}  // namespace hipr::rows
