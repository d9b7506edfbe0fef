#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/hash_bits.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "algorithms/multi_map/multi_map_table.hpp"

namespace hashmill::test {

/// What a table must answer: the rows of every key, serially, on std containers. Of a table of
/// unique keys it knows the rows of which one is kept.
class Reference {
 public:
  Reference(const MultiMapCase& table_case, const Numbers& keys, std::uint64_t row_base = 0)
      : normal_(table_case.normal), unique_keys_(table_case.unique_keys) {
    for (std::uint64_t i = 0; i < keys.size(); ++i) {
      rows_[normal_(keys[i])].push_back(row_base + i);
    }
    size_ = unique_keys_ ? rows_.size() : keys.size();
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] bool unique_keys() const { return unique_keys_; }
  [[nodiscard]] std::uint64_t count(std::uint64_t key) const {
    const std::uint64_t all = rows(key).size();
    return unique_keys_ ? std::min<std::uint64_t>(all, 1) : all;
  }
  /// The key's rows, ascending.
  [[nodiscard]] const std::vector<std::uint64_t>& rows(std::uint64_t key) const {
    static const std::vector<std::uint64_t> none;
    const auto found = rows_.find(normal_(key));
    return found == rows_.end() ? none : found->second;
  }

  /// Erases the rows of these keys and returns how many they were.
  std::uint64_t erase(const Numbers& keys) {
    std::uint64_t erased = 0;
    for (const std::uint64_t key : keys) {
      erased += count(key);
      rows_.erase(normal_(key));
    }
    size_ -= erased;
    return erased;
  }

  /// Adds the rows of another; not for unique keys.
  void merge(const Reference& other) {
    for (const auto& [key, rows] : other.rows_) {
      auto& mine = rows_[key];
      mine.insert(mine.end(), rows.begin(), rows.end());
      std::sort(mine.begin(), mine.end());
    }
    size_ += other.size_;
  }

  /// The pairs of rows with equal keys, ascending.
  [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> intersect(
      const Reference& other) const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
    for (const auto& [key, mine] : rows_) {
      for (const std::uint64_t left : mine) {
        for (const std::uint64_t right : other.rows(key)) pairs.emplace_back(left, right);
      }
    }
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

  /// Every key once.
  [[nodiscard]] Numbers distinct() const {
    Numbers keys;
    for (const auto& [key, rows] : rows_) keys.push_back(key);
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  /// The entries of each of `num_buckets` buckets.
  [[nodiscard]] std::vector<std::uint64_t> bucket_lengths(const MultiMapCase& table_case,
                                                          std::uint64_t num_buckets) const {
    std::vector<std::uint64_t> lengths(num_buckets);
    for (const auto& [key, rows] : rows_) {
      lengths[bucket_of(table_case.hash(key, num_buckets), num_buckets)] += rows.size();
    }
    return lengths;
  }

 private:
  std::uint64_t (*normal_)(std::uint64_t);
  bool unique_keys_;
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> rows_;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill::test
