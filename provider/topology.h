// The topology table, in the two layouts its callers have. The published C header lacks a field that the hypervisor's
// Go code has had since it began to call the function: a C program of the header gets the one, the hypervisor the
// other.
#pragma once

#include "provider/accelerator.h"
#include "provider/board.h"

namespace hipr::provider {

namespace header_layout {
struct Node {
  char peerUUID[64];
  std::int32_t peerIndex;
  int topoLevel;
};
}  // namespace header_layout

namespace go_layout {
struct Node {
  char peerUUID[64];
  std::int32_t peerIndex;
  int topoLevel;
  std::int64_t bandwidthBytesPerSec;  // 0: unknown
};
}  // namespace go_layout

template <class Node>
struct TopologyRow {
  char deviceUUID[64];
  std::int32_t deviceIndex, numaNode;
  Node peers[kMaxTopologyDevices];
  std::size_t peerCount;
};
template <class Node>
struct Topology {
  TopologyRow<Node> devices[kMaxTopologyDevices];
  std::size_t deviceCount;
};
using HeaderTopology = Topology<header_layout::Node>;
using GoTopology = Topology<go_layout::Node>;

static_assert(sizeof(header_layout::Node) == 72 && sizeof(TopologyRow<header_layout::Node>) == 4688);
static_assert(sizeof(HeaderTopology) == 300040 && offsetof(HeaderTopology, deviceCount) == 300032);
static_assert(sizeof(go_layout::Node) == 80 && sizeof(TopologyRow<go_layout::Node>) == 5200);
static_assert(sizeof(GoTopology) == 332808 && offsetof(GoTopology, deviceCount) == 332800);
static_assert(offsetof(TopologyRow<go_layout::Node>, peers) == 72 &&
              offsetof(TopologyRow<go_layout::Node>, peerCount) == 5192);

// REQUIRES: Node is one of the two above.
template <class Node>
void fillTopology(const Board& board, Topology<Node>& out);

}  // namespace hipr::provider
