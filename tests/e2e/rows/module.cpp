// Modules, functions and occupancy.
#include <functional>

#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// `load` makes the measured call for an image.
template <class Row, class Load>
void addLoad(Row row, Load load) {
  const auto ofImage = [load](auto image) {
    return [=](Scene& s, auto f) {
      hipModule_t module = nullptr;
      load(s, f, &module, image());
      HIPR_OK(s, hipModuleUnload(module));
    };
  };
  row.standard("with a managed variable, whose place the code is told", ofImage(&Scene::managedCode))
      .post("without", ofImage(&Scene::code));
}

constexpr int kBlock = 64;

}  // namespace

void addModuleRows(Book& book) {
  addLoad(ROW(hipModuleLoadData), [](Scene& s, auto f, hipModule_t* out, const void* image) { s.call(f, out, image); });
  addLoad(ROW(hipModuleLoadFatBinary),
          [](Scene& s, auto f, hipModule_t* out, const void* image) { s.call(f, out, image); });
  addLoad(ROW(hipModuleLoadDataEx),
          [](Scene& s, auto f, hipModule_t* out, const void* image) { s.call(f, out, image, 0u, nullptr, nullptr); });
  ROW(hipModuleLoad)
      .standard("with a managed variable, whose place the code is told",
                [](Scene& s, auto f) {
                  hipModule_t module = nullptr;
                  s.call(f, &module, s.managedCodeFile.c_str());
                  HIPR_OK(s, hipModuleUnload(module));
                })
      .post("without", [](Scene& s, auto f) {
        hipModule_t module = nullptr;
        s.call(f, &module, s.codeFile.c_str());
        HIPR_OK(s, hipModuleUnload(module));
      });
  ROW(hipModuleUnload).standard([](Scene& s, auto f) {
    hipModule_t module = nullptr;
    HIPR_OK(s, hipModuleLoadData(&module, Scene::code()));
    s.behind([&] { s.launch(); }).call(f, module);
  });
  ROW(hipModuleGetGlobal)
      .standard("right after the load",
                [](Scene& s, auto f) {
                  hipModule_t module = nullptr;
                  hipDeviceptr_t address = nullptr;
                  std::size_t size = 0;
                  s.behind([&] { HIPR_OK(s, hipModuleLoadData(&module, Scene::code())); });
                  s.call(f, &address, &size, std::ref(module), "counter");
                  HIPR_OK(s, hipModuleUnload(module));
                })
      .local("later", [](Scene& s, auto f) {
        hipDeviceptr_t address = nullptr;
        std::size_t size = 0;
        HIPR_OK(s, hipModuleGetGlobal(&address, &size, s.module, "counter"));
        s.call(f, &address, &size, s.module, "counter");
      });
  ROW(hipModuleGetFunction).standard([](Scene& s, auto f) {
    hipFunction_t function = nullptr;
    s.call(f, &function, s.module, "store");
  });
  ROW(hipModuleGetFunctionCount).standard([](Scene& s, auto f) {
    unsigned count = 0;
    s.call(f, &count, s.module);
  });
  ROW(hipModuleEnumerateFunctions).standard([](Scene& s, auto f) {
    hipFunction_t functions[4] = {};
    s.call(f, functions, 4u, s.module);
  });
  ROW(hipFuncGetAttribute).standard([](Scene& s, auto f) {
    int value = 0;
    s.call(f, &value, HIP_FUNC_ATTRIBUTE_NUM_REGS, s.store);
  });
  ROW(hipFuncGetAttributes).standard([](Scene& s, auto f) {
    hipFuncAttributes attributes;
    s.call(f, &attributes, &s.kernel);
  });
  ROW(hipFuncSetAttribute).standard([](Scene& s, auto f) {
    s.call(f, &s.kernel, hipFuncAttributePreferredSharedMemoryCarveout, 50);
  });
  ROW(hipFuncSetCacheConfig).standard([](Scene& s, auto f) { s.call(f, &s.kernel, hipFuncCachePreferL1); });
  ROW(hipFuncSetSharedMemConfig).standard([](Scene& s, auto f) { s.call(f, &s.kernel, hipSharedMemBankSizeFourByte); });
  ROW(hipGetFuncBySymbol).standard([](Scene& s, auto f) {
    hipFunction_t function = nullptr;
    s.call(f, &function, &s.kernel);
  });

  ROW(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor).standard([](Scene& s, auto f) {
    int blocks = 0;
    s.call(f, &blocks, s.store, kBlock, std::size_t{0});
  });
  ROW(hipModuleOccupancyMaxActiveBlocksPerMultiprocessorWithFlags).standard([](Scene& s, auto f) {
    int blocks = 0;
    s.call(f, &blocks, s.store, kBlock, std::size_t{0}, 0u);
  });
  ROW(hipModuleOccupancyMaxPotentialBlockSize).standard([](Scene& s, auto f) {
    int grid = 0, block = 0;
    s.call(f, &grid, &block, s.store, std::size_t{0}, 0);
  });
  ROW(hipModuleOccupancyMaxPotentialBlockSizeWithFlags).standard([](Scene& s, auto f) {
    int grid = 0, block = 0;
    s.call(f, &grid, &block, s.store, std::size_t{0}, 0, 0u);
  });
  ROW(hipOccupancyAvailableDynamicSMemPerBlock).standard([](Scene& s, auto f) {
    std::size_t bytes = 0;
    s.call(f, &bytes, &s.kernel, 1, kBlock);
  });
  ROW(hipOccupancyMaxActiveBlocksPerMultiprocessor).standard([](Scene& s, auto f) {
    int blocks = 0;
    s.call(f, &blocks, &s.kernel, kBlock, std::size_t{0});
  });
  ROW(hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags).standard([](Scene& s, auto f) {
    int blocks = 0;
    s.call(f, &blocks, &s.kernel, kBlock, std::size_t{0}, 0u);
  });
  ROW(hipOccupancyMaxPotentialBlockSize).standard([](Scene& s, auto f) {
    int grid = 0, block = 0;
    s.call(f, &grid, &block, &s.kernel, std::size_t{0}, 0);
  });
}

}  // namespace hipr::rows
