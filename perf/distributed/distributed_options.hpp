#pragma once

#include <cstdint>
#include <hashmill/backends/throttled_transport.hpp>
#include <optional>
#include <string>
#include <vector>

#include "keys/key_generator.hpp"
#include "plan/run_options.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

/// What moves the memory of ranks.
enum class RankTransport { mpi, nccl };

/// What `hashmill-compare distributed` was asked for.
struct DistributedOptions : RunOptions {
  std::vector<std::string> operations;  ///< names of `RankOperation`s; empty: all
  std::vector<std::uint64_t> bytes_per_rank = {1 << 20, 1 << 24, 1 << 28};
  std::vector<std::uint64_t> num_rows;  ///< of a rank; of all ranks where scaling is strong
  std::vector<unsigned> key_bits;       ///< empty: by operation
  std::vector<KeyOrder> orders = {KeyOrder::random};
  std::vector<double> zipf_exponents = {0};    ///< 0: as `orders` say; of joins, of the left keys
  std::vector<double> hot_shares = {0};        ///< of the left rows of joins: those of one key
  std::vector<double> right_hot_shares = {0};  ///< of the right rows of joins: those of another key
  std::vector<double> multiplicities = {1};
  std::optional<double> hit_rate;     ///< none: by operation
  std::vector<double> scale_factors;  ///< of TPC-H, of a rank; of all ranks where scaling is strong
  std::uint64_t seed = 1;
  std::vector<int> num_ranks;               ///< empty: all
  bool is_strong = false;                   ///< whether all numbers of ranks share the same rows
  std::optional<RankTransport> transport;   ///< none: NCCL in a build that has it
  std::optional<backends::LinkSpeed> link;  ///< none: as fast as the transport
  std::vector<Compression> compressions = {Compression::automatic};
  std::vector<ShuffleLevels> levels = {ShuffleLevels::automatic};
  std::optional<std::uint64_t> ranks_per_node;  ///< none: what is found
  bool phases = false;

  /// How columns travel: all levels with all compressions.
  std::vector<Travel> travels() const;

  /// Those bits of a key that were asked for, or what an operation takes where none were.
  std::vector<unsigned> key_bits_or(unsigned bits) const {
    return key_bits.empty() ? std::vector<unsigned>{bits} : key_bits;
  }
};

/// The command `distributed`, for CLI11.
class DistributedCommand {
 public:
  /// Lets `app` take the options; this must outlive it.
  void add_to(CLI::App& app);

  /// What was asked for, once `app` has parsed; `rest` are the arguments that it does not know.
  /// Throws `InvalidArgument` with one line that says what is wrong.
  DistributedOptions finish(const std::vector<std::string>& rest) const;

 private:
  DistributedOptions options_;
  std::vector<std::string> operations_;
  std::vector<std::string> orders_ = {"random"};
  std::vector<std::string> compressions_ = {"automatic"}, levels_ = {"automatic"};
  std::string link_, transport_;
};

}  // namespace hashmill::perf
