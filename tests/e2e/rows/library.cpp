// Libraries and their kernels. What first asks for something on a device loads the code there, like hipModuleLoadData.
#include <functional>

#include "tests/e2e/rows/book.h"

namespace hipr::rows {
namespace {

// Makes one measured call with a library that has not been used yet.
template <class Call>
auto fresh(const void* (*image)(), Call call) {
  return [=](Scene& s, auto f) {
    hipLibrary_t library = nullptr;
    HIPR_OK(s, hipLibraryLoadData(&library, image(), nullptr, nullptr, 0, nullptr, nullptr, 0));
    call(s, f, library);
    HIPR_OK(s, hipLibraryUnload(library));
  };
}

// The first use of a library is the row's worst case; the second is free.
template <class Row, class Call>
void addUse(Row row, Call call) {
  row.standard("first, with a managed variable", fresh(&Scene::managedCode, call))
      .post("first, without", fresh(&Scene::code, call))
      .local("later", fresh(&Scene::code, [=](Scene& s, auto f, hipLibrary_t library) {
               unsigned count = 0;
               HIPR_OK(s, hipLibraryGetKernelCount(&count, library));
               call(s, f, library);
             }));
}

// The same for calls about a kernel: it is known on device 0, and the call is about device 1 or again about 0.
template <class Row, class Call>
void addKernelUse(Row row, Call call) {
  const auto about = [=](int device) {
    return [=](Scene& s, auto f, hipLibrary_t library) {
      hipKernel_t kernel = nullptr;
      HIPR_OK(s, hipLibraryGetKernel(&kernel, library, "store"));
      HIPR_OK(s, hipSetDevice(device));
      call(s, f, kernel, device);
      HIPR_OK(s, hipSetDevice(0));
    };
  };
  row.standard("on another device, with a managed variable", fresh(&Scene::managedCode, about(1)))
      .post("on another device", fresh(&Scene::code, about(1)))
      .local("on the same device", fresh(&Scene::code, about(0)));
}

}  // namespace

void addLibraryRows(Book& book) {
  ROW(hipLinkCreate).standard([](Scene& s, auto f) {
    hipLinkState_t link = nullptr;
    s.call(f, 0u, nullptr, nullptr, &link);
    HIPR_OK(s, hipLinkDestroy(link));
  });
  ROW(hipLinkDestroy).standard([](Scene& s, auto f) {
    hipLinkState_t link = nullptr;
    HIPR_OK(s, hipLinkCreate(0, nullptr, nullptr, &link));
    s.call(f, link);
  });
  static char spirv[] = "not really";
  ROW(hipLinkAddData).standard([](Scene& s, auto f) {
    hipLinkState_t link = nullptr;
    HIPR_OK(s, hipLinkCreate(0, nullptr, nullptr, &link));
    s.call(f, link, hipJitInputSpirv, static_cast<void*>(spirv), sizeof spirv, "spirv", 0u, nullptr, nullptr);
    HIPR_OK(s, hipLinkDestroy(link));
  });
  ROW(hipLinkAddFile).standard([](Scene& s, auto f) {
    hipLinkState_t link = nullptr;
    HIPR_OK(s, hipLinkCreate(0, nullptr, nullptr, &link));
    s.call(f, link, hipJitInputSpirv, s.codeFile.c_str(), 0u, nullptr, nullptr);
    HIPR_OK(s, hipLinkDestroy(link));
  });
  ROW(hipLinkComplete).standard("with nothing in it", [](Scene& s, auto f) {
    hipLinkState_t link = nullptr;
    HIPR_OK(s, hipLinkCreate(0, nullptr, nullptr, &link));
    void* binary = nullptr;
    std::size_t size = 0;
    s.expect(hipErrorInvalidConfiguration).call(f, link, &binary, &size);
    HIPR_OK(s, hipLinkDestroy(link));
  });
  ROW(hipLibraryLoadData).standard([](Scene& s, auto f) {
    hipLibrary_t library = nullptr;
    s.call(f, &library, Scene::code(), nullptr, nullptr, 0u, nullptr, nullptr, 0u);
    HIPR_OK(s, hipLibraryUnload(library));
  });
  ROW(hipLibraryLoadFromFile).standard([](Scene& s, auto f) {
    hipLibrary_t library = nullptr;
    s.call(f, &library, s.codeFile.c_str(), nullptr, nullptr, 0u, nullptr, nullptr, 0u);
    HIPR_OK(s, hipLibraryUnload(library));
  });
  ROW(hipLibraryUnload)
      .standard("loaded",
                [](Scene& s, auto f) {
                  hipLibrary_t library = nullptr;
                  unsigned count = 0;
                  HIPR_OK(s, hipLibraryLoadData(&library, Scene::code(), nullptr, nullptr, 0, nullptr, nullptr, 0));
                  HIPR_OK(s, hipLibraryGetKernelCount(&count, library));
                  s.behind([&] { s.launch(); }).call(f, library);
                })
      .local("never used", [](Scene& s, auto f) {
        hipLibrary_t library = nullptr;
        HIPR_OK(s, hipLibraryLoadData(&library, Scene::code(), nullptr, nullptr, 0, nullptr, nullptr, 0));
        s.call(f, library);
      });
  addUse(ROW(hipLibraryGetKernelCount), [](Scene& s, auto f, hipLibrary_t library) {
    unsigned count = 0;
    s.call(f, &count, library);
  });
  addUse(ROW(hipLibraryGetKernel), [](Scene& s, auto f, hipLibrary_t library) {
    hipKernel_t kernel = nullptr;
    s.call(f, &kernel, library, "store");
  });
  addUse(ROW(hipLibraryEnumerateKernels), [](Scene& s, auto f, hipLibrary_t library) {
    hipKernel_t kernels[4] = {};
    s.call(f, kernels, 4u, library);
  });
  const auto global = [](Scene& s, auto f, hipLibrary_t library) {
    void* address = nullptr;
    std::size_t size = 0;
    s.call(f, &address, &size, library, "counter");
  };
  ROW(hipLibraryGetGlobal)
      .standard("right after the load", fresh(&Scene::code, global))
      .local("later", fresh(&Scene::code, [=](Scene& s, auto f, hipLibrary_t library) {
               void* address = nullptr;
               HIPR_OK(s, hipLibraryGetGlobal(&address, nullptr, library, "counter"));
               global(s, f, library);
             }));
  ROW(hipLibraryGetManaged).standard(fresh(&Scene::managedCode, [](Scene& s, auto f, hipLibrary_t library) {
    void* address = nullptr;
    std::size_t size = 0;
    s.call(f, &address, &size, library, "shared");
  }));

  addKernelUse(ROW(hipKernelGetFunction), [](Scene& s, auto f, hipKernel_t kernel, int) {
    hipFunction_t function = nullptr;
    s.call(f, &function, kernel);
  });
  addKernelUse(ROW(hipKernelGetAttribute), [](Scene& s, auto f, hipKernel_t kernel, int device) {
    int value = 0;
    s.call(f, &value, HIP_FUNC_ATTRIBUTE_NUM_REGS, kernel, device);
  });
  addKernelUse(ROW(hipKernelSetAttribute), [](Scene& s, auto f, hipKernel_t kernel, int device) {
    s.call(f, HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 64, kernel, device);
  });
  addKernelUse(ROW(hipKernelSetAttributeForDevice), [](Scene& s, auto f, hipKernel_t kernel, int device) {
    s.call(f, kernel, hipFuncAttributeMaxDynamicSharedMemorySize, 64, device);
  });
  const auto ofKernel = [](auto call) {
    return fresh(&Scene::code, [=](Scene& s, auto f, hipLibrary_t library) {
      hipKernel_t kernel = nullptr;
      HIPR_OK(s, hipLibraryGetKernel(&kernel, library, "store"));
      call(s, f, kernel);
    });
  };
  ROW(hipKernelGetLibrary).standard(ofKernel([](Scene& s, auto f, hipKernel_t kernel) {
    hipLibrary_t library = nullptr;
    s.call(f, &library, kernel);
  }));
  ROW(hipKernelGetName).standard(ofKernel([](Scene& s, auto f, hipKernel_t kernel) {
    const char* name = nullptr;
    s.call(f, &name, kernel);
  }));
  ROW(hipKernelGetParamInfo).standard(ofKernel([](Scene& s, auto f, hipKernel_t kernel) {
    std::size_t offset = 0, size = 0;
    s.call(f, kernel, std::size_t{1}, &offset, &size);
  }));
}

}  // namespace hipr::rows
