#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fuzz/fuzz_step.hpp"

namespace hashmill::test {

/// Operations that are drawn one after another; each runs on a table and on the std container that
/// the table should behave as.
class Operations {
 public:
  void add(std::string name, std::function<void()> run) {
    operations_.push_back({std::move(name), std::move(run)});
  }

  /// Runs `count` of them, and `check` after each. A Mismatch tells what ran before it.
  void run(RandomSource& random, std::uint64_t count, const std::function<void()>& check) const {
    std::string ran;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Operation& operation = operations_[random.below(operations_.size())];
      ran += (i == 0 ? "" : ", ") + operation.name;
      try {
        operation.run();
        check();
      } catch (const std::exception& error) {
        throw Mismatch(std::string(error.what()) + " after: " + ran);
      }
    }
  }

 private:
  struct Operation {
    std::string name;
    std::function<void()> run;
  };
  std::vector<Operation> operations_;
};

/// Moves an owner to another place and back, which leaves it as it was.
template <class Owner>
void move_away_and_back(Owner& owner) {
  Owner other(std::move(owner));
  owner = std::move(other);
}

/// Sequences of operations, a file each.
std::vector<FuzzStep> linear_probing_models();
std::vector<FuzzStep> tag_bucket_models();
std::vector<FuzzStep> chaining_models();
std::vector<FuzzStep> hash_graph_models();
std::vector<FuzzStep> hash_aggregation_models();

/// All of them.
inline std::vector<FuzzStep> model_steps() {
  std::vector<FuzzStep> all;
  for (const auto& some : {linear_probing_models(), tag_bucket_models(), chaining_models(),
                           hash_graph_models(), hash_aggregation_models()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

}  // namespace hashmill::test
