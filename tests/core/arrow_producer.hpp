#pragma once

#include <cstring>
#include <hashmill/arrow/abi.hpp>
#include <hashmill/arrow/owner.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hashmill::test {

/// How often release callbacks were called, those of children and dictionaries included.
struct Releases {
  int schemas = 0;
  int arrays = 0;
};

/// A buffer of an array; nothing is a null pointer.
using Buffer = std::optional<std::vector<char>>;

/// The bytes of values, in an allocation of just their size.
template <class T>
Buffer buffer(const std::vector<T>& values) {
  std::vector<char> bytes(values.size() * sizeof(T));
  if (!bytes.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}
inline Buffer buffer(const std::string& text) {
  return std::vector<char>(text.begin(), text.end());
}

/// Arrow's bitmap, after `before` rows that are null.
inline Buffer bitmap(const std::vector<bool>& valid, std::size_t before = 0) {
  std::vector<char> bytes((valid.size() + before + 7) / 8);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    const std::size_t bit = i + before;
    if (valid[i]) bytes[bit / 8] = static_cast<char>(bytes[bit / 8] | 1 << (bit % 8));
  }
  return bytes;
}

/// An array to produce by hand, as another library would. Tests spoil it as they like.
struct Produced {
  std::string format;
  std::string name;
  std::int64_t length = 0;
  std::int64_t null_count = 0;
  std::int64_t offset = 0;
  std::vector<Buffer> buffers = {};
  std::vector<Produced> children = {};
  std::shared_ptr<Produced> dictionary = nullptr;
};

/// What both structs of a producer refer to.
template <class Struct>
struct ProducedData {
  Produced from;
  int* releases;
  std::vector<const void*> buffers;
  std::vector<Struct> children;
  std::vector<Struct*> child_pointers;
  Struct dictionary{};
};

/// The release callback, as the specification describes it.
template <class Struct>
void release_produced(Struct* held) {
  auto* const data = static_cast<ProducedData<Struct>*>(held->private_data);
  for (Struct* child : data->child_pointers) {
    if (child->release != nullptr) child->release(child);
  }
  if (data->dictionary.release != nullptr) data->dictionary.release(&data->dictionary);
  ++*data->releases;
  delete data;
  held->release = nullptr;
}

inline void describe(ArrowSchema& schema, ProducedData<ArrowSchema>& data) {
  schema.format = data.from.format.c_str();
  schema.name = data.from.name.c_str();
}
inline void describe(ArrowArray& array, ProducedData<ArrowArray>& data) {
  for (const Buffer& bytes : data.from.buffers) {
    data.buffers.push_back(bytes ? bytes->data() : nullptr);
  }
  array.length = data.from.length;
  array.null_count = data.from.null_count;
  array.offset = data.from.offset;
  array.n_buffers = static_cast<std::int64_t>(data.buffers.size());
  array.buffers = data.buffers.data();
}

template <class Struct>
Struct produce_struct(const Produced& from, int& releases) {
  auto* const data = new ProducedData<Struct>{from, &releases, {}, {}, {}};
  Struct made{};
  describe(made, *data);
  for (const Produced& child : from.children) {
    data->children.push_back(produce_struct<Struct>(child, releases));
  }
  for (Struct& child : data->children) data->child_pointers.push_back(&child);
  made.n_children = static_cast<std::int64_t>(data->children.size());
  made.children = data->child_pointers.data();
  if (from.dictionary) {
    data->dictionary = produce_struct<Struct>(*from.dictionary, releases);
    made.dictionary = &data->dictionary;
  }
  made.release = &release_produced<Struct>;
  made.private_data = data;
  return made;
}

/// Produces both structs.
inline ArrowOwner produce(const Produced& from, Releases& releases) {
  return {UniqueArrow(produce_struct<ArrowSchema>(from, releases.schemas)),
          UniqueArrow(produce_struct<ArrowArray>(from, releases.arrays))};
}
inline ArrowOwner produce(const Produced& from) {
  static Releases nobody_looks;
  return produce(from, nobody_looks);
}

/// A column of numbers in format `format`.
template <class T>
Produced produced_numbers(const std::string& format, const std::vector<T>& values) {
  return {format, "", static_cast<std::int64_t>(values.size()), 0, 0, {Buffer(), buffer(values)}};
}

/// A column of strings with offsets of that type.
template <class Offset = std::int32_t>
Produced produced_strings(const std::string& format, const std::vector<std::string>& strings) {
  std::vector<Offset> offsets{0};
  std::string bytes;
  for (const std::string& string : strings) {
    bytes += string;
    offsets.push_back(static_cast<Offset>(bytes.size()));
  }
  return {format, "", static_cast<std::int64_t>(strings.size()),
          0,      0,  {Buffer(), buffer(offsets), buffer(bytes)}};
}

/// A record batch of those columns.
inline Produced produced_batch(std::int64_t length, std::vector<Produced> columns) {
  return {"+s", "", length, 0, 0, {Buffer()}, std::move(columns)};
}

}  // namespace hashmill::test
