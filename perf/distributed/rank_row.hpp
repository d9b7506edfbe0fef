#pragma once

#include <cstdint>
#include <functional>
#include <hashmill/backends/throttled_transport.hpp>
#include <hashmill/communicator.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/levels.hpp>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rank_case.hpp"

namespace hashmill::perf {

class ExchangeArrays;

/// One way to do an operation, on one input. All ranks call its functions together.
class RankRun {
 public:
  virtual ~RankRun() = default;
  /// Overwrites or frees what the last run wrote, so that a run that does nothing is found. Not
  /// timed.
  virtual void clear() = 0;
  /// Does it once. Timed.
  virtual void run() = 0;
  /// How many values that this rank got are wrong. Not timed.
  virtual std::uint64_t num_wrong() const = 0;
  /// How rows move, in words; "" where that goes without saying. Not timed.
  virtual std::string plan() const { return ""; }
  /// Bytes that leave this rank in a run; none: those that its communicator counts.
  virtual std::optional<std::uint64_t> bytes_sent() const { return std::nullopt; }
};

/// A line of the table.
struct RankRow {
  std::string name;
  bool is_standard;  ///< what the others of the operation are compared to
  std::unique_ptr<RankRun> run;
  std::uint64_t rows = 0;  ///< of a rank, which are divided by the seconds; 0: it has none
};

/// Makes the rows of the transport itself that exchange the arrays.
using OwnExchanges = std::function<std::vector<RankRow>(std::shared_ptr<ExchangeArrays>)>;

/// How columns travel.
struct Travel {
  Compression compression = Compression::automatic;
  ShuffleLevels levels = ShuffleLevels::automatic;
};

/// The ranks of a run, and what they talk through.
struct Ranks {
  /// What is timed.
  Communicator timed;
  /// What barriers and the slowest rank's time go through, past the link.
  Communicator control;
  /// The link that slows `timed` down.
  std::optional<backends::LinkSpeed> link{};
  /// None where a link slows ours down.
  OwnExchanges own_exchanges{};
  /// How columns travel: a row for each.
  std::vector<Travel> travels{Travel{}};
};

/// The name of a row, and how columns travel if that was asked for: "shuffle, never compressed".
std::string name_with(const char* name, const Travel& travel);

/// Makes the rows of an operation on one input, which share their arrays.
using MakeRankRows = std::vector<RankRow> (*)(const Ranks&, const RankCase&);

/// What an operation is timed on.
enum class RankInput {
  bytes,  ///< that are exchanged
  keys,   ///< of a table, and as many queries
  sides,  ///< of a join: keys, as many queries, and a payload of 8 bytes with each
  tpch    ///< the columns of TPC-H's `orders` and `lineitem` that their join needs
};

/// An operation.
struct RankOperation {
  const char* name;
  RankInput input;
  MakeRankRows rows;
};

/// All operations, in the order of the table.
std::span<const RankOperation> rank_operations();

}  // namespace hashmill::perf
