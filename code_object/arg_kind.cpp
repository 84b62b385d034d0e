#include <iterator>

#include "code_object/metadata.h"

namespace hipr::code {
namespace {

struct Name {
  ArgKind kind;
  const char* text;
};

constexpr Name kNames[] = {
    {ArgKind::kByValue, "by_value"},
    {ArgKind::kGlobalBuffer, "global_buffer"},
    {ArgKind::kDynamicSharedPointer, "dynamic_shared_pointer"},
    {ArgKind::kSampler, "sampler"},
    {ArgKind::kImage, "image"},
    {ArgKind::kPipe, "pipe"},
    {ArgKind::kQueue, "queue"},
    {ArgKind::kHiddenNone, "hidden_none"},
    {ArgKind::kHiddenGlobalOffsetX, "hidden_global_offset_x"},
    {ArgKind::kHiddenGlobalOffsetY, "hidden_global_offset_y"},
    {ArgKind::kHiddenGlobalOffsetZ, "hidden_global_offset_z"},
    {ArgKind::kHiddenPrintfBuffer, "hidden_printf_buffer"},
    {ArgKind::kHiddenHostcallBuffer, "hidden_hostcall_buffer"},
    {ArgKind::kHiddenDefaultQueue, "hidden_default_queue"},
    {ArgKind::kHiddenCompletionAction, "hidden_completion_action"},
    {ArgKind::kHiddenMultigridSyncArg, "hidden_multigrid_sync_arg"},
    {ArgKind::kHiddenBlockCountX, "hidden_block_count_x"},
    {ArgKind::kHiddenBlockCountY, "hidden_block_count_y"},
    {ArgKind::kHiddenBlockCountZ, "hidden_block_count_z"},
    {ArgKind::kHiddenGroupSizeX, "hidden_group_size_x"},
    {ArgKind::kHiddenGroupSizeY, "hidden_group_size_y"},
    {ArgKind::kHiddenGroupSizeZ, "hidden_group_size_z"},
    {ArgKind::kHiddenRemainderX, "hidden_remainder_x"},
    {ArgKind::kHiddenRemainderY, "hidden_remainder_y"},
    {ArgKind::kHiddenRemainderZ, "hidden_remainder_z"},
    {ArgKind::kHiddenGridDims, "hidden_grid_dims"},
    {ArgKind::kHiddenHeapV1, "hidden_heap_v1"},
    {ArgKind::kHiddenDynamicLdsSize, "hidden_dynamic_lds_size"},
    {ArgKind::kHiddenPrivateBase, "hidden_private_base"},
    {ArgKind::kHiddenSharedBase, "hidden_shared_base"},
    {ArgKind::kHiddenQueuePtr, "hidden_queue_ptr"},
};

}  // namespace

ArgKind argKindFromName(std::string_view name) {
  for (const Name& n : kNames) {
    if (name == n.text) return n.kind;
  }
  return name.starts_with("hidden_") ? ArgKind::kHiddenUnknown : ArgKind::kUnknown;
}

const char* argKindName(ArgKind kind) {
  for (const Name& n : kNames) {
    if (kind == n.kind) return n.text;
  }
  return kind == ArgKind::kHiddenUnknown ? "hidden_(unknown)" : "(unknown)";
}

}  // namespace hipr::code
