// Nodes of graphs: adding, asking and changing them before the graph is instantiated.
#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/graph_scene.h"

namespace hipr::rows {
namespace {

// A node that writes one word.
struct WordParams {
  explicit WordParams(Scene& s) {
    word.writeValue.operation = hipStreamMemOpWriteValue32;
    word.writeValue.address = s.device;
    word.writeValue.value64 = 5;
    params.count = 1;
    params.paramArray = &word;
  }
  hipStreamBatchMemOpParams word{};
  hipBatchMemOpNodeParams params{};
};

hipGraphNode_t addWords(OwnGraph& own) {
  hipGraphNode_t node = nullptr;
  const WordParams words(own.s);
  HIPR_OK(own.s, hipGraphAddBatchMemOpNode(&node, own.graph, nullptr, 0, &words.params));
  return node;
}

// There is none that a node could name.
void addSemaphores(Book& book) {
  const auto add = [](Scene& s, auto f, auto params) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.expect(hipErrorNotSupported).call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
  };
  const auto change = [](Scene& s, auto f, auto params) {
    OwnGraph own(s);
    s.expect(hipErrorNotSupported).call(f, own.addKernel(), &params);
  };
  const auto changeExec = [](Scene& s, auto f, auto params) {
    FullGraph full(s);
    s.expect(hipErrorNotSupported).call(f, full.exec, full.kernel, &params);
  };
  using Signal = hipExternalSemaphoreSignalNodeParams;
  using Wait = hipExternalSemaphoreWaitNodeParams;
  ROW(hipGraphAddExternalSemaphoresSignalNode).standard([=](Scene& s, auto f) { add(s, f, Signal{}); });
  ROW(hipGraphAddExternalSemaphoresWaitNode).standard([=](Scene& s, auto f) { add(s, f, Wait{}); });
  ROW(hipGraphExternalSemaphoresSignalNodeGetParams).standard([=](Scene& s, auto f) { change(s, f, Signal{}); });
  ROW(hipGraphExternalSemaphoresSignalNodeSetParams).standard([=](Scene& s, auto f) { change(s, f, Signal{}); });
  ROW(hipGraphExternalSemaphoresWaitNodeGetParams).standard([=](Scene& s, auto f) { change(s, f, Wait{}); });
  ROW(hipGraphExternalSemaphoresWaitNodeSetParams).standard([=](Scene& s, auto f) { change(s, f, Wait{}); });
  ROW(hipGraphExecExternalSemaphoresSignalNodeSetParams).standard([=](Scene& s, auto f) {
    changeExec(s, f, Signal{});
  });
  ROW(hipGraphExecExternalSemaphoresWaitNodeSetParams).standard([=](Scene& s, auto f) { changeExec(s, f, Wait{}); });
}

void addAdding(Book& book) {
  ROW(hipGraphAddEmptyNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0});
  });
  ROW(hipGraphAddKernelNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const hipKernelNodeParams params = kernelParams(s);
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
  });
  ROW(hipGraphAddMemcpyNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const hipMemcpy3DParms params = boxParams(s);
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
  });
  ROW(hipGraphAddMemcpyNode1D)
      .standard([](Scene& s, auto f) {
        OwnGraph own(s);
        hipGraphNode_t node = nullptr;
        s.call(f, &node, own.graph, nullptr, std::size_t{0}, s.device, s.other, std::size_t{64},
               hipMemcpyDeviceToDevice);
      })
      .standard("from host memory", [](Scene& s, auto f) {
        OwnGraph own(s);
        hipGraphNode_t node = nullptr;
        s.call(f, &node, own.graph, nullptr, std::size_t{0}, s.device, s.host.data(), Scene::kBytes,
               hipMemcpyHostToDevice);
      });
  const auto toSymbol = [](Scene& s, auto f, const void* symbol) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, symbol, s.other, std::size_t{4}, std::size_t{0},
           hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphAddMemcpyNodeToSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { toSymbol(s, f, symbol); }); })
      .local("known", [=](Scene& s, auto f) { toSymbol(s, f, &s.variable); });
  const auto fromSymbol = [](Scene& s, auto f, const void* symbol) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, s.other, symbol, std::size_t{4}, std::size_t{0},
           hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphAddMemcpyNodeFromSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { fromSymbol(s, f, symbol); }); })
      .local("known", [=](Scene& s, auto f) { fromSymbol(s, f, &s.variable); });
  ROW(hipGraphAddMemsetNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const hipMemsetParams params = fillParams(s);
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
  });
  ROW(hipGraphAddHostNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const hipHostNodeParams params = hostParams();
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
  });
  ROW(hipGraphAddBatchMemOpNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    WordParams words(s);
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &words.params);
  });
  ROW(hipGraphBatchMemOpNodeGetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t node = addWords(own);
    hipBatchMemOpNodeParams params{};
    s.call(f, node, &params);
  });
  ROW(hipGraphBatchMemOpNodeSetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t node = addWords(own);
    WordParams words(s);
    s.call(f, node, &words.params);
  });
  ROW(hipGraphExecBatchMemOpNodeSetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    const hipGraphNode_t node = addWords(own);
    hipGraphExec_t exec = nullptr;
    HIPR_OK(s, hipGraphInstantiate(&exec, own.graph, nullptr, nullptr, 0));
    WordParams words(s);
    words.word.writeValue.value64 = 6;
    s.call(f, exec, node, &words.params);
    HIPR_OK(s, hipGraphExecDestroy(exec));
  });
  addSemaphores(book);
  ROW(hipGraphAddEventRecordNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, s.last);
  });
  ROW(hipGraphAddEventWaitNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, s.last);
  });
  ROW(hipGraphAddChildGraphNode).standard([](Scene& s, auto f) {
    OwnGraph own(s), child(s);
    child.addKernel();
    hipGraphNode_t node = nullptr;
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, child.graph);
  });
  ROW(hipGraphAddNode)
      .standard("memory beyond what is granted so far",
                [](Scene& s, auto f) {
                  OwnGraph own(s);
                  hipGraphNode_t node = nullptr;
                  hipGraphNodeParams params{};
                  params.type = hipGraphNodeTypeMemAlloc;
                  params.alloc = allocParams(s.beyondCredit());
                  s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
                })
      .local("a kernel", [](Scene& s, auto f) {
        OwnGraph own(s);
        hipGraphNode_t node = nullptr;
        hipGraphNodeParams params{};
        params.type = hipGraphNodeTypeKernel;
        params.kernel = kernelParams(s);
        s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
      });
  ROW(hipDrvGraphAddMemcpyNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const HIP_MEMCPY3D params = driverBoxParams(s);
    s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params, context(s));
  });
  ROW(hipDrvGraphAddMemsetNode).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    withDriverFill(s, 16, [&](const hipMemsetParams* params) {
      return s.call(f, &node, own.graph, nullptr, std::size_t{0}, params, context(s));
    });
  });
}

void addMemory(Book& book) {
  const auto allocate = [](auto size) {
    return [=](Scene& s, auto f) {
      OwnGraph own(s);
      hipGraphNode_t node = nullptr;
      hipMemAllocNodeParams params = allocParams(size(s));
      s.call(f, &node, own.graph, nullptr, std::size_t{0}, &params);
    };
  };
  ROW(hipGraphAddMemAllocNode)
      .standard("beyond the memory granted so far", allocate([](Scene& s) { return s.beyondCredit(); }))
      .local("among others", allocate([](Scene&) { return std::size_t{4096}; }));
  const auto released = [](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr, release = nullptr;
    hipMemAllocNodeParams params = allocParams(4096);
    HIPR_OK(s, hipGraphAddMemAllocNode(&node, own.graph, nullptr, 0, &params));
    s.call(f, &release, own.graph, &node, std::size_t{1}, params.dptr);
  };
  ROW(hipGraphAddMemFreeNode).standard(released);
  ROW(hipDrvGraphAddMemFreeNode).standard(released);
  ROW(hipGraphMemAllocNodeGetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    hipMemAllocNodeParams params = allocParams(4096);
    HIPR_OK(s, hipGraphAddMemAllocNode(&node, own.graph, nullptr, 0, &params));
    s.call(f, node, &params);
  });
  ROW(hipGraphMemFreeNodeGetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr, release = nullptr;
    hipMemAllocNodeParams params = allocParams(4096);
    HIPR_OK(s, hipGraphAddMemAllocNode(&node, own.graph, nullptr, 0, &params));
    HIPR_OK(s, hipGraphAddMemFreeNode(&release, own.graph, &node, 1, params.dptr));
    void* freed = nullptr;
    s.call(f, release, &freed);
  });
  ROW(hipDeviceGetGraphMemAttribute).standard([](Scene& s, auto f) {
    std::uint64_t value = 0;
    s.call(f, 0, hipGraphMemAttrUsedMemCurrent, &value);
  });
  ROW(hipDeviceSetGraphMemAttribute).standard([](Scene& s, auto f) {
    std::uint64_t value = 0;
    s.call(f, 0, hipGraphMemAttrUsedMemHigh, &value);
  });
  ROW(hipDeviceGraphMemTrim).standard([](Scene& s, auto f) { s.call(f, 0); });
}

void addKernels(Book& book) {
  ROW(hipGraphKernelNodeGetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipKernelNodeParams params;
    s.call(f, full.kernel, &params);
  });
  ROW(hipGraphKernelNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipKernelNodeParams params = kernelParams(s);
    s.call(f, full.kernel, &params);
  });
  ROW(hipGraphKernelNodeGetAttribute).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipLaunchAttributeValue value{};
    s.call(f, full.kernel, hipLaunchAttributeCooperative, &value);
  });
  ROW(hipGraphKernelNodeSetAttribute).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipLaunchAttributeValue value{};
    s.call(f, full.kernel, hipLaunchAttributeCooperative, &value);
  });
  ROW(hipGraphKernelNodeCopyAttributes).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.kernel, full.addKernel());
  });
}

void addParameters(Book& book) {
  ROW(hipGraphMemcpyNodeGetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipMemcpy3DParms params;
    s.call(f, full.box, &params);
  });
  ROW(hipGraphMemcpyNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipMemcpy3DParms params = boxParams(s);
    s.call(f, full.box, &params);
  });
  ROW(hipGraphMemcpyNodeSetParams1D).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.line, s.device, s.other, std::size_t{32}, hipMemcpyDeviceToDevice);
  });
  const auto toSymbol = [](Scene& s, auto f, const void* symbol) {
    FullGraph full(s);
    s.call(f, full.toSymbol, symbol, s.other, std::size_t{4}, std::size_t{0}, hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphMemcpyNodeSetParamsToSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { toSymbol(s, f, symbol); }); })
      .local("known", [=](Scene& s, auto f) { toSymbol(s, f, &s.variable); });
  const auto fromSymbol = [](Scene& s, auto f, const void* symbol) {
    FullGraph full(s);
    s.call(f, full.fromSymbol, s.other, symbol, std::size_t{4}, std::size_t{0}, hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphMemcpyNodeSetParamsFromSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { fromSymbol(s, f, symbol); }); })
      .local("known", [=](Scene& s, auto f) { fromSymbol(s, f, &s.variable); });
  ROW(hipGraphMemsetNodeGetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipMemsetParams params;
    s.call(f, full.fill, &params);
  });
  ROW(hipGraphMemsetNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipMemsetParams params = fillParams(s);
    s.call(f, full.fill, &params);
  });
  ROW(hipGraphHostNodeGetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipHostNodeParams params;
    s.call(f, full.host, &params);
  });
  ROW(hipGraphHostNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipHostNodeParams params = hostParams();
    s.call(f, full.host, &params);
  });
  ROW(hipGraphEventRecordNodeGetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipEvent_t event = nullptr;
    s.call(f, full.record, &event);
  });
  ROW(hipGraphEventRecordNodeSetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.record, s.first);
  });
  ROW(hipGraphEventWaitNodeGetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipEvent_t event = nullptr;
    s.call(f, full.wait, &event);
  });
  ROW(hipGraphEventWaitNodeSetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.wait, s.last);
  });
  ROW(hipGraphChildGraphNodeGetGraph).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraph_t graph = nullptr;
    s.call(f, full.inner, &graph);
  });
  ROW(hipGraphNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNodeParams params{};
    params.type = hipGraphNodeTypeKernel;
    params.kernel = kernelParams(s);
    s.call(f, full.kernel, &params);
  });
  const auto driverBox = [](Scene& s, OwnGraph& own) {
    hipGraphNode_t node = nullptr;
    const HIP_MEMCPY3D params = driverBoxParams(s);
    HIPR_OK(s, hipDrvGraphAddMemcpyNode(&node, own.graph, nullptr, 0, &params, context(s)));
    return node;
  };
  ROW(hipDrvGraphMemcpyNodeGetParams).standard([=](Scene& s, auto f) {
    OwnGraph own(s);
    HIP_MEMCPY3D params;
    s.call(f, driverBox(s, own), &params);
  });
  ROW(hipDrvGraphMemcpyNodeSetParams).standard([=](Scene& s, auto f) {
    OwnGraph own(s);
    const HIP_MEMCPY3D params = driverBoxParams(s);
    s.call(f, driverBox(s, own), &params);
  });
}

}  // namespace

void addGraphNodeRows(Book& book) {
  addAdding(book);
  addMemory(book);
  addKernels(book);
  addParameters(book);
}

}  // namespace hipr::rows
