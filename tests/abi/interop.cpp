// Memory, semaphores and pictures of other APIs: what a GPU server without a display says of them. Nothing can be
// imported, so every handle is a wrong one.
#include "hip_abi.h"

extern "C" {
int hipGLGetDevices(unsigned* count, int* devices, unsigned room, int list);
int hipGraphicsGLRegisterBuffer(void** resource, unsigned buffer, unsigned flags);
int hipGraphicsGLRegisterImage(void** resource, unsigned image, unsigned target, unsigned flags);
int hipGraphicsMapResources(int count, void** resources, void* stream);
int hipGraphicsResourceGetMappedPointer(void** memory, std::size_t* size, void* resource);
int hipGraphicsSubResourceGetMappedArray(void** array, void* resource, unsigned index, unsigned level);
int hipGraphicsUnmapResources(int count, void** resources, void* stream);
int hipGraphicsUnregisterResource(void* resource);
int hipImportExternalMemory(void** memory, const void* description);
int hipExternalMemoryGetMappedBuffer(void** buffer, void* memory, const void* description);
int hipDestroyExternalMemory(void* memory);
int hipImportExternalSemaphore(void** semaphore, const void* description);
int hipSignalExternalSemaphoresAsync(const void* semaphores, const void* parameters, unsigned count, void* stream);
int hipWaitExternalSemaphoresAsync(const void* semaphores, const void* parameters, unsigned count, void* stream);
int hipDestroyExternalSemaphore(void* semaphore);
#if ABI >= 7
int hipExternalMemoryGetMappedMipmappedArray(void** array, void* memory, const void* description);
int hipGraphCreate(void** graph, unsigned flags);
int hipGraphDestroy(void* graph);
int hipGraphAddEmptyNode(void** node, void* graph, void* const* after, std::size_t count);
int hipGraphGetNodes(void* graph, void** nodes, std::size_t* count);
int hipGraphInstantiate(void** exec, void* graph, void* node, char* log, std::size_t size);
int hipGraphExecDestroy(void* exec);
int hipGraphAddExternalSemaphoresSignalNode(void** node, void* graph, void* const*, std::size_t, const void*);
int hipGraphAddExternalSemaphoresWaitNode(void** node, void* graph, void* const*, std::size_t, const void*);
int hipGraphExternalSemaphoresSignalNodeGetParams(void* node, void*);
int hipGraphExternalSemaphoresSignalNodeSetParams(void* node, const void*);
int hipGraphExternalSemaphoresWaitNodeGetParams(void* node, void*);
int hipGraphExternalSemaphoresWaitNodeSetParams(void* node, const void*);
int hipGraphExecExternalSemaphoresSignalNodeSetParams(void* exec, void* node, const void*);
int hipGraphExecExternalSemaphoresWaitNodeSetParams(void* exec, void* node, const void*);
#endif
}

enum : int { kOutOfMemory = 2, kNoDevice = 100, kNotSupported = 801, kUnknown = 999 };

TEST(pictures) {
  unsigned count = 7;
  int devices[4];
  IS(hipGLGetDevices(&count, devices, 4, 1), kNoDevice);
  EXPECT_EQ(count, 0u);
  IS(hipGLGetDevices(&count, devices, 4, 3), kNotSupported);
  IS(hipGLGetDevices(nullptr, devices, 4, 1), kInvalidValue);
  IS(hipGLGetDevices(&count, devices, 4, 9), kInvalidValue);
  void *resource = nullptr, *memory = nullptr;
  std::size_t size = 5;
  constexpr unsigned kTexture2D = 0x0de1;
  IS(hipGraphicsGLRegisterBuffer(&resource, 1, 0), kInvalidValue);
  IS(hipGraphicsGLRegisterImage(&resource, 1, kTexture2D, 0), kInvalidValue);
  IS(hipGraphicsGLRegisterImage(nullptr, 1, kTexture2D, 0), kInvalidValue);
  EXPECT(resource == nullptr);
  IS(hipGraphicsMapResources(1, &resource, nullptr), kUnknown);
  IS(hipGraphicsResourceGetMappedPointer(&memory, &size, resource), kUnknown);
  EXPECT(memory == nullptr && size == 5);
  IS(hipGraphicsSubResourceGetMappedArray(&memory, resource, 0, 0), kInvalidValue);
  IS(hipGraphicsSubResourceGetMappedArray(nullptr, resource, 0, 0), kInvalidValue);
  OK(hipGraphicsUnmapResources(0, nullptr, nullptr));
  IS(hipGraphicsUnmapResources(1, nullptr, nullptr), kUnknown);
  IS(hipGraphicsUnmapResources(1, &resource, nullptr), kInvalidHandle);
  IS(hipGraphicsUnregisterResource(nullptr), kInvalidValue);
}

TEST(memory_of_others) {
  struct {
    int type = 1;
    union {
      int fd = 5;
      void* pair[2];
    };
    unsigned long long size = 4096;
    unsigned flags = 0, reserved[16] = {};
  } memory;
  static_assert(sizeof memory == 104);
  struct {
    unsigned long long offset = 0, size = 16;
    unsigned flags = 0, reserved[16] = {};
  } part;
  static_assert(sizeof part == 88);
  void *handle = nullptr, *buffer = nullptr;
  IS(hipImportExternalMemory(&handle, &memory), kOutOfMemory);
  IS(hipImportExternalMemory(nullptr, &memory), kInvalidValue);
  IS(hipImportExternalMemory(&handle, nullptr), kInvalidValue);
  memory.type = 99;
  IS(hipImportExternalMemory(&handle, &memory), kInvalidValue);
  memory.type = 1, memory.size = 0;
  IS(hipImportExternalMemory(&handle, &memory), kInvalidValue);
  EXPECT(handle == nullptr);
  IS(hipExternalMemoryGetMappedBuffer(&buffer, nullptr, &part), kInvalidValue);
  IS(hipExternalMemoryGetMappedBuffer(nullptr, nullptr, nullptr), kInvalidValue);
  EXPECT(buffer == nullptr);
  IS(hipDestroyExternalMemory(nullptr), kInvalidValue);
#if ABI >= 7
  const unsigned char levels[64] = {};  // hipExternalMemoryMipmappedArrayDesc
  IS(hipExternalMemoryGetMappedMipmappedArray(&buffer, nullptr, levels), kInvalidValue);
  IS(hipExternalMemoryGetMappedMipmappedArray(nullptr, nullptr, levels), kInvalidValue);
  EXPECT(buffer == nullptr);
#endif
}

TEST(semaphores_of_others) {
  struct {
    int type = 1;
    union {
      int fd = 5;
      void* pair[2];
    };
    unsigned flags = 0, reserved[16] = {};
  } description;
  static_assert(sizeof description == 96);
  unsigned char parameters[144] = {};
  void *semaphore = nullptr, *stream = nullptr;
  IS(hipImportExternalSemaphore(&semaphore, &description), kNotSupported);
  IS(hipImportExternalSemaphore(nullptr, &description), kInvalidValue);
  description.fd = 0;
  IS(hipImportExternalSemaphore(&semaphore, &description), kInvalidValue);
  EXPECT(semaphore == nullptr);
  OK(hipStreamCreate(&stream));
  for (auto* use : {&hipSignalExternalSemaphoresAsync, &hipWaitExternalSemaphoresAsync}) {
    OK(use(&semaphore, parameters, 0, stream));  // none at all
    IS(use(&semaphore, parameters, 1, stream), kInvalidValue);
    IS(use(nullptr, parameters, 0, stream), kInvalidValue);
    IS(use(&semaphore, nullptr, 0, stream), kInvalidValue);
    IS(use(&semaphore, parameters, 0, &stream), kInvalidValue);  // no stream
  }
  OK(hipStreamQuery(stream));
  OK(hipStreamDestroy(stream));
  IS(hipDestroyExternalSemaphore(nullptr), kInvalidValue);
}

#if ABI >= 7
TEST(nodes_of_semaphores) {
  void *graph = nullptr, *exec = nullptr, *empty = nullptr, *node = nullptr;
  std::uint64_t params[3] = {};
  OK(hipGraphCreate(&graph, 0));
  OK(hipGraphAddEmptyNode(&empty, graph, nullptr, 0));
  OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
  for (auto* add : {&hipGraphAddExternalSemaphoresSignalNode, &hipGraphAddExternalSemaphoresWaitNode}) {
    IS(add(&node, graph, nullptr, 0, params), kNotSupported);
    IS(add(&node, graph, nullptr, 0, nullptr), kInvalidValue);
    IS(add(&node, nullptr, nullptr, 0, params), kInvalidValue);
  }
  for (auto* get : {&hipGraphExternalSemaphoresSignalNodeGetParams, &hipGraphExternalSemaphoresWaitNodeGetParams}) {
    IS(get(empty, params), kNotSupported);
    IS(get(empty, nullptr), kInvalidValue);
    IS(get(nullptr, params), kInvalidValue);
  }
  for (auto* set : {&hipGraphExternalSemaphoresSignalNodeSetParams, &hipGraphExternalSemaphoresWaitNodeSetParams}) {
    IS(set(empty, params), kNotSupported);
    IS(set(empty, nullptr), kInvalidValue);
    IS(set(nullptr, params), kInvalidValue);
  }
  for (auto* change :
       {&hipGraphExecExternalSemaphoresSignalNodeSetParams, &hipGraphExecExternalSemaphoresWaitNodeSetParams}) {
    IS(change(exec, empty, params), kNotSupported);
    IS(change(exec, empty, nullptr), kInvalidValue);
    IS(change(nullptr, empty, params), kInvalidValue);
  }
  EXPECT(node == nullptr);
  std::size_t count = 9;
  OK(hipGraphGetNodes(graph, nullptr, &count));
  EXPECT_EQ(count, std::size_t{1});  // nothing was added
  OK(hipGraphExecDestroy(exec));
  OK(hipGraphDestroy(graph));
}
#endif
