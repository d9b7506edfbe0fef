#pragma once

#include <cstdint>
#include <functional>
#include <hashmill/backends/throttled_transport.hpp>
#include <hashmill/communicator.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hashmill::perf {

class ExchangeArrays;

/// One way to do an operation, on one input. All ranks call its functions together.
class RankRun {
 public:
  virtual ~RankRun() = default;
  /// Overwrites what the last run wrote, so that a run that does nothing is found. Not timed.
  virtual void clear() = 0;
  /// Does it once. Timed.
  virtual void run() = 0;
  /// How many values that this rank got are wrong. Not timed.
  virtual std::uint64_t num_wrong() const = 0;
  /// Bytes that leave this rank in a run.
  virtual std::uint64_t bytes_sent() const = 0;
};

/// A line of the table.
struct RankRow {
  std::string name;
  bool is_standard;  ///< the transport's own, which the others of the operation are compared to
  std::unique_ptr<RankRun> run;
};

/// What an operation is run on.
struct RankCase {
  std::uint64_t bytes_per_rank;  ///< that a rank sends, to itself too
  std::uint64_t seed;            ///< of their contents
};

/// The ranks of a run, and what they talk through.
struct Ranks {
  /// What is timed.
  Communicator timed;
  /// What barriers and the slowest rank's time go through, past the link.
  Communicator control;
  /// The link that slows `timed` down.
  std::optional<backends::LinkSpeed> link{};
  /// The rows of the transport itself that exchange the arrays; none where a link slows ours down.
  std::function<std::vector<RankRow>(std::shared_ptr<ExchangeArrays>)> own_exchanges{};
};

/// An operation: its name, and what makes its rows of one case, which share their arrays.
struct RankOperation {
  const char* name;
  std::vector<RankRow> (*rows)(const Ranks&, const RankCase&);
};

/// All operations, in the order of the table.
std::span<const RankOperation> rank_operations();

}  // namespace hashmill::perf
