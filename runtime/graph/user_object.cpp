#include "runtime/graph/user_object.h"

#include <climits>

#include "runtime/api.h"
#include "runtime/graph/graph.h"
#include "runtime/process.h"

namespace hipr {

namespace {

void release(Process& p, UserObject& object, unsigned count) {
  if (object.references.fetch_sub(count) != count) return;
  if (p.userObjects.take(&object) == nullptr) return;
  object.destroy(object.object);
  p.userObjects.recycle(&object);
}

// Null for one that is gone: HIP lets that pass.
hipError_t find(hipUserObject_t handle, unsigned count, Process*& p, UserObject*& out) {
  HIPR_TRY(process(p));
  if (handle == nullptr || count == 0 || count > INT_MAX) return hipErrorInvalidValue;
  out = p->userObjects.find(handle);
  return hipSuccess;
}

}  // namespace

void retainObjects(const Graph& from, Graph& to) {
  for (const auto& [object, count] : from.objects) {
    object->references += count;
    to.objects[object] += count;
  }
}

void releaseObjects(Process& p, Graph& graph) {
  for (const auto& [object, count] : graph.objects) release(p, *object, count);
  graph.objects.clear();
}

namespace api {

hipError_t hipUserObjectCreate(hipUserObject_t* object_out, void* ptr, hipHostFn_t destroy,
                               unsigned int initialRefcount, unsigned int flags) {
  Process* p;
  HIPR_TRY(process(p));
  if (object_out == nullptr || flags != hipUserObjectNoDestructorSync || initialRefcount == 0 || destroy == nullptr ||
      initialRefcount > INT_MAX)
    return hipErrorInvalidValue;
  UserObject* object = p->userObjects.create();
  if (object == nullptr) return hipErrorOutOfMemory;
  object->object = ptr;
  object->destroy = destroy;
  object->references = initialRefcount;
  *object_out = reinterpret_cast<hipUserObject_t>(object);
  return hipSuccess;
}

hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count) {
  Process* p;
  UserObject* o;
  HIPR_TRY(find(object, count, p, o));
  if (o != nullptr) o->references += count;
  return hipSuccess;
}

hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count) {
  Process* p;
  UserObject* o;
  HIPR_TRY(find(object, count, p, o));
  if (o != nullptr && o->references >= count) release(*p, *o, count);
  return hipSuccess;
}

hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count, unsigned int flags) {
  Process* p;
  Graph* g;
  UserObject* o;
  HIPR_TRY(findGraph(graph, p, g));
  if (flags != 0 && flags != hipGraphUserObjectMove) return hipErrorInvalidValue;
  HIPR_TRY(find(object, count, p, o));
  if (o == nullptr) return hipSuccess;
  if (flags != hipGraphUserObjectMove) o->references += count;  // else the program's own ones go to the graph
  g->objects[o] += count;
  return hipSuccess;
}

hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count) {
  Process* p;
  Graph* g;
  UserObject* o;
  HIPR_TRY(findGraph(graph, p, g));
  HIPR_TRY(find(object, count, p, o));
  if (o == nullptr) return hipSuccess;
  const auto held = g->objects.find(o);
  if (held == g->objects.end() || held->second < count) return hipSuccess;
  held->second -= count;
  if (held->second == 0) g->objects.erase(held);
  release(*p, *o, count);
  return hipSuccess;
}

}  // namespace api
}  // namespace hipr
