// Random graphs of kernels, copies, fills and host functions on a few cells of device, pinned and pageable memory,
// ordered wherever two steps touch the same cell. The same steps, one by one on the host, say what must come out.
#include "graph_support.h"

#include <memory>

__global__ void sum(const int* a, const int* b, int* to) {
  *to = static_cast<int>(static_cast<unsigned>(*a) + static_cast<unsigned>(*b));
}

constexpr int kCells = 6;  // of each kind

enum Memory { kDevice, kPinned, kPageable };

struct Cells {
  Buffer<int> device{kCells};
  Pinned<int> pinned{kCells};
  std::vector<int> pageable = std::vector<int>(kCells);
  std::vector<int> expected = std::vector<int>(3 * kCells);

  static Memory kindOf(int cell) { return static_cast<Memory>(cell / kCells); }
  int* at(int cell) const {
    int* const bases[] = {device, pinned, const_cast<int*>(pageable.data())};
    return bases[kindOf(cell)] + cell % kCells;
  }
  void reset() {
    std::vector<int> start(kCells);
    for (int i = 0; i < 3 * kCells; ++i) expected[i] = i;
    std::copy_n(expected.begin(), kCells, start.begin());
    device.upload(start);
    std::copy_n(expected.begin() + kCells, kCells, pinned + 0);
    std::copy_n(expected.begin() + 2 * kCells, kCells, pageable.begin());
  }
  std::vector<int> found() const {
    std::vector<int> all = device.download();
    all.insert(all.end(), pinned + 0, pinned + kCells);
    all.insert(all.end(), pageable.begin(), pageable.end());
    return all;
  }
};

// to = a + b (kernel, host function), to = a (copy), to = value (fill)
struct Step {
  enum Kind { kKernel, kCopy, kFill, kHost } kind;
  int a, b, to, value;
  int *first, *second, *result;

  void simulate(std::vector<int>& cells) const {
    const auto plus = [](int x, int y) {
      return static_cast<int>(static_cast<unsigned>(x) + static_cast<unsigned>(y));
    };
    cells[to] = kind == kFill ? value : kind == kCopy ? cells[a] : plus(cells[a], cells[b]);
  }
  static void run(void* self) {
    const Step& s = *static_cast<Step*>(self);
    *s.result = static_cast<int>(static_cast<unsigned>(*s.first) + static_cast<unsigned>(*s.second));
  }
  hipGraphNode_t add(hipGraph_t graph, const Nodes& after) {
    switch (kind) {
      case kKernel:
        return addKernel(graph, after, sum, first, second, result);
      case kCopy:
        return addCopy(graph, after, result, first, sizeof(int), hipMemcpyDefault);
      case kFill:
        return addFill(graph, after, result, static_cast<unsigned>(value), sizeof(int), 1);
      case kHost:
        break;
    }
    return addHost(graph, after, run, this);
  }
};

// Kernels reach device and pinned memory, host functions pinned and pageable, copies everything.
static Step randomStep(Random& random, const Cells& cells) {
  Step step{};
  step.kind = static_cast<Step::Kind>(random.below(4));
  const auto pick = [&](bool device, bool host) {
    for (;;) {
      const int cell = random.below(3 * kCells);
      const Memory kind = Cells::kindOf(cell);
      if (kind == kPinned || (kind == kDevice && device) || (kind == kPageable && host)) return cell;
    }
  };
  const bool device = step.kind != Step::kHost, pageable = step.kind == Step::kHost || step.kind == Step::kCopy;
  step.a = pick(device, pageable);
  step.b = pick(device, pageable);
  do step.to = pick(device, pageable);
  while (step.kind == Step::kCopy && step.to == step.a);
  step.value = static_cast<int>(random.bits() & 0xffff);
  step.first = cells.at(step.a);
  step.second = cells.at(step.b);
  step.result = cells.at(step.to);
  return step;
}

static void build(hipGraph_t graph, std::vector<std::unique_ptr<Step>>& steps, int count, Random& random,
                  const Cells& cells) {
  std::vector<Nodes> readers(3 * kCells);
  Nodes writer(3 * kCells, nullptr);
  for (int i = 0; i < count; ++i) {
    steps.push_back(std::make_unique<Step>(randomStep(random, cells)));
    Step& step = *steps.back();
    Nodes after = readers[step.to];
    for (int cell : {step.a, step.b, step.to})
      if (writer[cell] != nullptr) after.push_back(writer[cell]);
    std::sort(after.begin(), after.end());
    after.erase(std::unique(after.begin(), after.end()), after.end());
    const hipGraphNode_t node = step.add(graph, after);
    readers[step.a].push_back(node);
    if (step.b != step.a) readers[step.b].push_back(node);
    readers[step.to].clear();
    writer[step.to] = node;
  }
}

static void runs(int seed, int count, int launches, bool waits) {
  Random random(seed);
  Cells cells;
  cells.reset();
  Graph graph;
  std::vector<std::unique_ptr<Step>> steps;
  build(graph, steps, count, random, cells);
  const Exec exec(graph);
  Stream s(hipStreamNonBlocking);
  for (int i = 0; i < launches; ++i) {
    exec.launch(s);
    if (waits) HIP(hipStreamSynchronize(s));
    for (const auto& step : steps) step->simulate(cells.expected);
  }
  HIP(hipStreamSynchronize(s));
  EXPECT_VEC(cells.found(), cells.expected);
  check::result(cells.expected);
}

TEST(small_graphs) {
  for (int seed = 1; seed <= 30; ++seed) runs(seed, 8, 2, true);
}
TEST(large_graphs) {
  for (int seed = 31; seed <= 36; ++seed) runs(seed, 120, 2, true);
}
TEST(launches_that_nobody_waits_for) {
  for (int seed = 41; seed <= 50; ++seed) runs(seed, 30, 5, false);
}

// The program changes host memory between launches.
TEST(the_program_writes_between_launches) {
  for (int seed = 51; seed <= 60; ++seed) {
    Random random(seed);
    Cells cells;
    cells.reset();
    Graph graph;
    std::vector<std::unique_ptr<Step>> steps;
    build(graph, steps, 30, random, cells);
    const Exec exec(graph);
    Stream s;
    for (int i = 0; i < 4; ++i) {
      for (int cell = kCells; cell < 3 * kCells; ++cell) *cells.at(cell) = cells.expected[cell] = random.below(1000);
      exec.run(s);
      for (const auto& step : steps) step->simulate(cells.expected);
      EXPECT_VEC(cells.found(), cells.expected);
    }
  }
}
