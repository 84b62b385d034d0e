// Graphs as data, stream capture, user objects: all of it stays with the client.
#include <cstdio>
#include <string>

#include <unistd.h>

#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/graph_scene.h"

namespace hipr::rows {
namespace {

void beginCapture(Scene& s) {
  HIPR_OK(s, hipStreamBeginCapture(s.stream, hipStreamCaptureModeRelaxed));
}
void endCapture(Scene& s) {
  hipGraph_t graph = nullptr;
  HIPR_OK(s, hipStreamEndCapture(s.stream, &graph));
  HIPR_OK(s, hipGraphDestroy(graph));
}

hipUserObject_t newObject(Scene& s, unsigned references) {
  hipUserObject_t object = nullptr;
  HIPR_OK(s, hipUserObjectCreate(&object, nullptr, [](void*) {}, references, hipUserObjectNoDestructorSync));
  return object;
}

void addGraphs(Book& book) {
  ROW(hipGraphCreate).standard([](Scene& s, auto f) {
    hipGraph_t graph = nullptr;
    s.call(f, &graph, 0u);
    HIPR_OK(s, hipGraphDestroy(graph));
  });
  const auto destroyed = [](std::size_t memory) {
    return [=](Scene& s, auto f) {
      hipGraph_t graph = nullptr;
      hipGraphNode_t node = nullptr;
      hipMemAllocNodeParams params = allocParams(memory);
      HIPR_OK(s, hipGraphCreate(&graph, 0));
      if (memory != 0) HIPR_OK(s, hipGraphAddMemAllocNode(&node, graph, nullptr, 0, &params));
      s.call(f, graph);
    };
  };
  ROW(hipGraphDestroy)
      .standard("with memory that has a mapping too large to be kept", destroyed(Scene::kLarge))
      .local("with memory", destroyed(4096))
      .local("without memory", destroyed(0));
  ROW(hipGraphClone).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraph_t clone = nullptr;
    s.call(f, &clone, full.graph);
    HIPR_OK(s, hipGraphDestroy(clone));
  });
  ROW(hipGraphNodeFindInClone).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraph_t clone = nullptr;
    hipGraphNode_t node = nullptr;
    HIPR_OK(s, hipGraphClone(&clone, full.graph));
    s.call(f, &node, full.fill, clone);
    HIPR_OK(s, hipGraphDestroy(clone));
  });
  ROW(hipGraphDebugDotPrint).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const std::string path = "/tmp/hip-remote-rows-graph-" + std::to_string(getpid());
    s.call(f, full.graph, path.c_str(), 0u);
    std::remove(path.c_str());
  });
  ROW(hipGraphGetNodes).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNode_t nodes[3];
    std::size_t count = 3;
    s.call(f, full.graph, nodes, &count);
  });
  ROW(hipGraphGetRootNodes).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNode_t nodes[3];
    std::size_t count = 3;
    s.call(f, full.graph, nodes, &count);
  });
  ROW(hipGraphGetEdges).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNode_t from[3], to[3];
    std::size_t count = 3;
    s.call(f, full.graph, from, to, &count);
  });
  ROW(hipGraphNodeGetDependencies).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNode_t nodes[3];
    std::size_t count = 3;
    s.call(f, full.fill, nodes, &count);
  });
  ROW(hipGraphNodeGetDependentNodes).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNode_t nodes[3];
    std::size_t count = 3;
    s.call(f, full.fill, nodes, &count);
  });
  ROW(hipGraphNodeGetType).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNodeType type;
    s.call(f, full.kernel, &type);
  });
  ROW(hipGraphAddDependencies).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t from = own.addEmpty(), to = own.addEmpty();
    s.call(f, own.graph, &from, &to, std::size_t{1});
  });
  ROW(hipGraphRemoveDependencies).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t from = own.addEmpty(), to = own.addEmpty();
    HIPR_OK(s, hipGraphAddDependencies(own.graph, &from, &to, 1));
    s.call(f, own.graph, &from, &to, std::size_t{1});
  });
  ROW(hipGraphDestroyNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    s.call(f, own.addKernel());
  });
}

void addCapture(Book& book) {
  ROW(hipStreamBeginCapture).standard([](Scene& s, auto f) {
    s.call(f, s.stream, hipStreamCaptureModeRelaxed);
    endCapture(s);
  });
  ROW(hipStreamBeginCaptureToGraph).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t node = own.addEmpty();
    s.call(f, s.stream, own.graph, &node, nullptr, std::size_t{1}, hipStreamCaptureModeRelaxed);
    hipGraph_t graph = nullptr;
    HIPR_OK(s, hipStreamEndCapture(s.stream, &graph));
  });
  ROW(hipStreamEndCapture).standard([](Scene& s, auto f) {
    hipGraph_t graph = nullptr;
    const auto work = [&] {
      beginCapture(s);
      s.launchInto(s.device);
    };
    s.behind(work).call(f, s.stream, &graph);
    HIPR_OK(s, hipGraphDestroy(graph));
  });
  ROW(hipStreamUpdateCaptureDependencies).standard([](Scene& s, auto f) {
    s.behind([&] {
       beginCapture(s);
     }).call(f, s.stream, nullptr, std::size_t{0}, unsigned{hipStreamSetCaptureDependencies});
    endCapture(s);
  });
}

void addUserObjects(Book& book) {
  ROW(hipUserObjectCreate).standard([](Scene& s, auto f) {
    hipUserObject_t object = nullptr;
    s.call(f, &object, nullptr, [](void*) {}, 1u, unsigned{hipUserObjectNoDestructorSync});
    HIPR_OK(s, hipUserObjectRelease(object, 1));
  });
  ROW(hipUserObjectRetain).standard([](Scene& s, auto f) {
    hipUserObject_t object = newObject(s, 1);
    s.call(f, object, 1u);
    HIPR_OK(s, hipUserObjectRelease(object, 2));
  });
  ROW(hipUserObjectRelease).standard([](Scene& s, auto f) { s.call(f, newObject(s, 1), 1u); });
  ROW(hipGraphRetainUserObject).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    s.call(f, own.graph, newObject(s, 1), 1u, unsigned{hipGraphUserObjectMove});
  });
  ROW(hipGraphReleaseUserObject).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipUserObject_t object = newObject(s, 1);
    HIPR_OK(s, hipGraphRetainUserObject(own.graph, object, 1, hipGraphUserObjectMove));
    s.call(f, own.graph, object, 1u);
  });
}

}  // namespace

void addGraphRows(Book& book) {
  addGraphs(book);
  addCapture(book);
  addUserObjects(book);
}

}  // namespace hipr::rows
