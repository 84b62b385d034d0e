// Instantiated graphs: what is launched is with the worker already.
#include "tests/e2e/rows/book.h"
#include "tests/e2e/rows/graph_scene.h"

namespace hipr::rows {
namespace {

hipGraphExec_t instanceOf(Scene& s, hipGraph_t graph) {
  hipGraphExec_t exec = nullptr;
  HIPR_OK(s, hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  return exec;
}

void addInstances(Book& book) {
  ROW(hipGraphInstantiate).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    own.addKernel();
    hipGraphExec_t exec = nullptr;
    s.call(f, &exec, own.graph, nullptr, nullptr, std::size_t{0});
    HIPR_OK(s, hipGraphExecDestroy(exec));
  });
  ROW(hipGraphInstantiateWithFlags).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    own.addKernel();
    hipGraphExec_t exec = nullptr;
    s.call(f, &exec, own.graph, 0ull);
    HIPR_OK(s, hipGraphExecDestroy(exec));
  });
  ROW(hipGraphInstantiateWithParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    own.addKernel();
    hipGraphExec_t exec = nullptr;
    hipGraphInstantiateParams params{};
    s.call(f, &exec, own.graph, &params);
    HIPR_OK(s, hipGraphExecDestroy(exec));
  });
  ROW(hipGraphExecDestroy).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    own.addKernel();
    s.call(f, instanceOf(s, own.graph));
  });
  ROW(hipGraphExecGetFlags).standard([](Scene& s, auto f) {
    FullGraph full(s);
    unsigned long long flags = 0;
    s.call(f, full.exec, &flags);
  });
  ROW(hipGraphUpload).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.exec, s.stream);
  });
  ROW(hipGraphLaunch)
      .standard("of a kernel",
                [](Scene& s, auto f) {
                  OwnGraph own(s);
                  own.addKernel();
                  const hipGraphExec_t exec = instanceOf(s, own.graph);
                  s.call(f, exec, s.stream);
                  HIPR_OK(s, hipGraphExecDestroy(exec));
                })
      .standard("of everything",
                [](Scene& s, auto f) {
                  FullGraph full(s);
                  s.call(f, full.exec, s.stream);
                })
      .standard("of a copy from pinned memory", [](Scene& s, auto f) {
        OwnGraph own(s);
        hipGraphNode_t node = nullptr;
        HIPR_OK(s, hipGraphAddMemcpyNode1D(&node, own.graph, nullptr, 0, s.device, s.pinned, Scene::kBytes,
                                           hipMemcpyHostToDevice));
        const hipGraphExec_t exec = instanceOf(s, own.graph);
        s.call(f, exec, s.stream);
        HIPR_OK(s, hipGraphExecDestroy(exec));
      });
  ROW(hipGraphExecUpdate).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipKernelNodeParams params = kernelParams(s, 2);
    HIPR_OK(s, hipGraphKernelNodeSetParams(full.kernel, &params));
    hipGraphNode_t node = nullptr;
    hipGraphExecUpdateResult result;
    s.call(f, full.exec, full.graph, &node, &result);
  });
  ROW(hipGraphNodeSetEnabled).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.exec, full.kernel, 0u);
  });
  ROW(hipGraphNodeGetEnabled).standard([](Scene& s, auto f) {
    FullGraph full(s);
    unsigned enabled = 0;
    s.call(f, full.exec, full.kernel, &enabled);
  });
}

void addChanges(Book& book) {
  ROW(hipGraphExecKernelNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipKernelNodeParams params = kernelParams(s, 2);
    s.call(f, full.exec, full.kernel, &params);
  });
  ROW(hipGraphExecMemcpyNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipMemcpy3DParms params = boxParams(s, 1);
    s.call(f, full.exec, full.box, &params);
  });
  ROW(hipGraphExecMemcpyNodeSetParams1D).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.exec, full.line, s.device, s.other, std::size_t{32}, hipMemcpyDeviceToDevice);
  });
  const auto toSymbol = [](Scene& s, auto f, const void* symbol) {
    FullGraph full(s);
    s.call(f, full.exec, full.toSymbol, symbol, s.device, std::size_t{4}, std::size_t{0}, hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphExecMemcpyNodeSetParamsToSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { toSymbol(s, f, symbol); }); })
      .post("known", [=](Scene& s, auto f) { toSymbol(s, f, &s.variable); });
  const auto fromSymbol = [](Scene& s, auto f, const void* symbol) {
    FullGraph full(s);
    s.call(f, full.exec, full.fromSymbol, s.device, symbol, std::size_t{4}, std::size_t{0}, hipMemcpyDeviceToDevice);
  };
  ROW(hipGraphExecMemcpyNodeSetParamsFromSymbol)
      .standard("first use of its code",
                [=](Scene& s, auto f) { withUnusedCode(s, [&](char* symbol) { fromSymbol(s, f, symbol); }); })
      .post("known", [=](Scene& s, auto f) { fromSymbol(s, f, &s.variable); });
  ROW(hipGraphExecMemsetNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipMemsetParams params = fillParams(s, 8);
    s.call(f, full.exec, full.fill, &params);
  });
  ROW(hipGraphExecHostNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipHostNodeParams params = hostParams();
    s.call(f, full.exec, full.host, &params);
  });
  ROW(hipGraphExecEventRecordNodeSetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.exec, full.record, s.first);
  });
  ROW(hipGraphExecEventWaitNodeSetEvent).standard([](Scene& s, auto f) {
    FullGraph full(s);
    s.call(f, full.exec, full.wait, s.last);
  });
  ROW(hipGraphExecChildGraphNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    const hipKernelNodeParams params = kernelParams(s, 2);
    HIPR_OK(s, hipGraphKernelNodeSetParams(full.childKernel, &params));
    s.call(f, full.exec, full.inner, full.child.graph);
  });
  ROW(hipGraphExecNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    hipGraphNodeParams params{};
    params.type = hipGraphNodeTypeKernel;
    params.kernel = kernelParams(s, 2);
    s.call(f, full.exec, full.kernel, &params);
  });
  ROW(hipDrvGraphExecMemcpyNodeSetParams).standard([](Scene& s, auto f) {
    OwnGraph own(s);
    hipGraphNode_t node = nullptr;
    const HIP_MEMCPY3D params = driverBoxParams(s);
    HIPR_OK(s, hipDrvGraphAddMemcpyNode(&node, own.graph, nullptr, 0, &params, context(s)));
    const hipGraphExec_t exec = instanceOf(s, own.graph);
    const HIP_MEMCPY3D changed = driverBoxParams(s, 1);
    s.call(f, exec, node, &changed, context(s));
    HIPR_OK(s, hipGraphExecDestroy(exec));
  });
  ROW(hipDrvGraphExecMemsetNodeSetParams).standard([](Scene& s, auto f) {
    FullGraph full(s);
    withDriverFill(s, 8,
                   [&](const hipMemsetParams* params) { return s.call(f, full.exec, full.fill, params, context(s)); });
  });
}

}  // namespace

void addGraphExecRows(Book& book) {
  addInstances(book);
  addChanges(book);
}

}  // namespace hipr::rows
