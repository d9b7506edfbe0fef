#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <hashmill/arrow/owner.hpp>
#include <hashmill/murmur.hpp>
#include <memory>
#include <string>
#include <vector>

namespace hashmill::detail {

/// How many of the first `rows` bits are 0.
[[nodiscard]] inline std::uint64_t count_nulls(const std::uint8_t* bits, std::uint64_t rows) {
  const std::uint64_t whole = rows / 8;
  std::uint64_t byte = 0, valid = 0;
  const auto add = [&valid](std::uint64_t word) {
    valid += static_cast<std::uint64_t>(std::popcount(word));
  };
  for (; byte + 8 <= whole; byte += 8) add(load_word<std::uint64_t>(bits + byte));
  for (; byte < whole; ++byte) add(bits[byte]);
  if (rows % 8 != 0) add(bits[byte] & ((1U << (rows % 8)) - 1));
  return rows - valid;
}

/// What an exported struct refers to, through its `private_data`. It is on the heap, so that
/// consumers can move the struct itself. Its destructor releases the children that no consumer has
/// moved out.
template <class Struct>
struct ArrowNode {
  std::vector<UniqueArrow<Struct>> children;
  std::vector<Struct*> child_pointers;
  UniqueArrow<Struct> dictionary;

  /// Call when the children are complete, since it takes pointers to them.
  void point_to_children() {
    child_pointers.reserve(children.size());
    for (UniqueArrow<Struct>& child : children) child_pointers.push_back(&*child);
  }
};

struct ArrowSchemaNode : ArrowNode<ArrowSchema> {
  std::string format;
  std::string name;
};

struct ArrowArrayNode : ArrowNode<ArrowArray> {
  std::array<const void*, 3> buffers{};
  std::uint64_t null_count = 0;
  /// Copies of the views that own the buffers.
  std::vector<std::shared_ptr<const void>> kept_alive;

  /// Keeps the memory of a view alive as long as this node.
  template <class View>
  void keep(std::size_t buffer, const View& view) {
    if (view.extent(0) > 0 && view.use_count() == 0) {
      throw InvalidArgument(
          "to_arrow: the view '" + view.label() +
          "' does not own its memory, which might go before its consumer is done with it");
    }
    kept_alive.push_back(std::make_shared<const View>(view));
    buffers[buffer] = view.data();
  }
};

/// The release callback.
template <class Node, class Struct>
void release_arrow_node(Struct* held) noexcept {
  delete static_cast<Node*>(held->private_data);
  held->private_data = nullptr;
  held->release = nullptr;
}

/// Sets what both kinds of struct have, and hands the node to the struct.
template <class Node, class Struct>
[[nodiscard]] UniqueArrow<Struct> arrow_of_node(std::unique_ptr<Node> node, Struct held) noexcept {
  held.n_children = static_cast<std::int64_t>(node->child_pointers.size());
  held.children = node->child_pointers.empty() ? nullptr : node->child_pointers.data();
  held.dictionary = node->dictionary ? &*node->dictionary : nullptr;
  held.release = &release_arrow_node<Node, Struct>;
  held.private_data = node.release();
  return UniqueArrow<Struct>(std::move(held));
}

[[nodiscard]] inline UniqueArrow<ArrowSchema> finish_arrow(std::unique_ptr<ArrowSchemaNode> node,
                                                           std::int64_t flags) noexcept {
  ArrowSchema schema{};
  schema.format = node->format.c_str();
  schema.name = node->name.c_str();
  schema.flags = flags;
  return arrow_of_node(std::move(node), schema);
}

[[nodiscard]] inline UniqueArrow<ArrowArray> finish_arrow(std::unique_ptr<ArrowArrayNode> node,
                                                          std::uint64_t rows,
                                                          std::int64_t num_buffers) noexcept {
  ArrowArray array{};
  array.length = static_cast<std::int64_t>(rows);
  array.null_count = static_cast<std::int64_t>(node->null_count);
  array.n_buffers = num_buffers;
  array.buffers = node->buffers.data();
  return arrow_of_node(std::move(node), array);
}

}  // namespace hashmill::detail
