#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/communicator.hpp>
#include <hashmill/error.hpp>
#include <hashmill/murmur.hpp>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// One call that all ranks make together. Its local steps may throw on some ranks only. Such a rank
/// skips its further steps, but takes part in what the ranks have agreed to exchange. At the next
/// agreement the call throws on all ranks:
///
/// | rank | throws |
/// | --- | --- |
/// | whose step threw | what that step threw |
/// | any other | CommunicationError: the lowest rank that failed, its step, its text |
///
/// All throw InvalidArgument where they make different calls, or the same with other signatures.
///
/// All messages have been received by then, so that the communicator can still be used. It cannot
/// where a rank leaves the call by an exception outside of steps; then the others are told.
class CollectiveCall {
 public:
  /// `name` is that of the call. `signature` is a hash of the options, types and tables that must
  /// be equal on all ranks. Waits for a device where memory that nobody uses is not settled: later
  /// steps that take it would wait for what is being sent, too.
  CollectiveCall(const Communicator& ranks, const char* name, std::uint64_t signature)
      : ranks_(ranks), name_(name), digest_(signature) {
    using Memory = Kokkos::DefaultExecutionSpace::memory_space;
    backends::MemoryCache<Memory>::instance().settle_unused();
    backends::copy_text(name, title_.name);
    title_.signature = signature;
    for (const char letter : title_.name) {
      digest_ = murmur3_fmix64(digest_ + static_cast<unsigned char>(letter) + 1);
    }
  }
  CollectiveCall(const CollectiveCall&) = delete;
  CollectiveCall& operator=(const CollectiveCall&) = delete;
  ~CollectiveCall() {
    if (!ends_on_all_ && std::uncaught_exceptions() > exceptions_) ranks_.give_up(name_);
  }

  /// Runs a local step, unless one failed before.
  template <class Step>
  void step(const char* phase, const Step& run) {
    if (error_) return;
    try {
      run();
    } catch (const std::exception& error) {
      fail(phase, error.what());
    } catch (...) {
      fail(phase, "an unknown exception");
    }
  }

  /// Sends part r of `out`, of as many equal parts as there are ranks, to rank r. What it has for
  /// this rank becomes part r of `in`. Throws where a step failed on any rank.
  void exchange_words(std::span<const std::uint64_t> out, std::span<std::uint64_t> in,
                      const char* phase) {
    const auto size = static_cast<std::size_t>(ranks_.size());
    const std::size_t words = out.size() / size, length = 2 + words;
    // To each rank: whether a step failed, the digest, the words.
    std::vector<std::uint64_t> mine, theirs(size * length);
    for (std::size_t r = 0; r < size; ++r) {
      mine.insert(mine.end(), {error_ ? 1U : 0U, digest_});
      mine.insert(mine.end(), &out[r * words], &out[r * words] + words);
    }
    try {
      ranks_.all_to_all(std::span<const std::uint64_t>(mine), std::span(theirs), phase);
    } catch (const InvalidArgument&) {
      ends_on_all_ = true;  // one of them makes another call
      throw;
    }
    for (std::size_t r = 0; r < size; ++r) {
      std::copy_n(&theirs[r * length + 2], words, &in[r * words]);
    }
    for (std::size_t r = 0; r < size; ++r) {
      if (theirs[r * length] != 0) throw_failure(static_cast<int>(r));
    }
    for (std::size_t r = 0; r < size; ++r) {
      if (theirs[r * length + 1] != theirs[1]) throw_difference();
    }
  }
  /// Throws where a step failed on any rank.
  void agree(const char* phase) {
    std::vector<std::uint64_t> nothing(static_cast<std::size_t>(ranks_.size()));
    exchange_words(nothing, nothing, phase);
  }
  /// Whether it ended with an exception on all ranks, so that each still receives what the others
  /// have started to send.
  [[nodiscard]] bool ends_on_all() const { return ends_on_all_; }
  /// The sum of a word of each rank. Throws as `agree`.
  [[nodiscard]] std::uint64_t agree_on_sum(std::uint64_t word, const char* phase) {
    const std::vector<std::uint64_t> all = words_of_all(word, phase);
    return std::reduce(all.begin(), all.end());
  }
  /// The greatest word of a rank. Throws as `agree`.
  [[nodiscard]] std::uint64_t agree_on_greatest(std::uint64_t word, const char* phase) {
    const std::vector<std::uint64_t> all = words_of_all(word, phase);
    return *std::max_element(all.begin(), all.end());
  }

 private:
  struct Title {
    std::array<char, 56> name;
    std::uint64_t signature;
  };
  struct Report {
    std::array<char, 64> phase;
    std::array<char, 448> text;
  };

  [[nodiscard]] std::vector<std::uint64_t> words_of_all(std::uint64_t word, const char* phase) {
    std::vector<std::uint64_t> mine(static_cast<std::size_t>(ranks_.size()), word), all(mine);
    exchange_words(mine, all, phase);
    return all;
  }
  void fail(const char* phase, const std::string& text) {
    error_ = std::current_exception();
    backends::copy_text(phase, report_.phase);
    backends::copy_text(text, report_.text);
  }
  [[noreturn]] void throw_difference() {
    const std::vector<Title> titles = ranks_.all_gather(title_, "report a difference");
    ends_on_all_ = true;
    for (int r = 1; r < ranks_.size(); ++r) {
      const Title &first = titles[0], &other = titles[static_cast<std::size_t>(r)];
      if (other.name == first.name && other.signature == first.signature) continue;
      const std::string who = " rank " + std::to_string(ranks_.original_rank(r)) + " calls ";
      const std::string than = " rank " + std::to_string(ranks_.original_rank(0));
      throw InvalidArgument(
          std::string(name_) + ":" + who +
          (other.name == first.name
               ? "it with other columns, options or tables than" + than
               : other.name.data() + (" where" + than) + " calls " + first.name.data()));
    }
    throw InvalidArgument(std::string(name_) + ": the ranks make different calls");
  }
  [[noreturn]] void throw_failure(int rank) {
    const std::vector<Report> reports = ranks_.all_gather(report_, "report a failure");
    ends_on_all_ = true;
    if (error_) std::rethrow_exception(error_);
    const Report& report = reports[static_cast<std::size_t>(rank)];
    const int original = ranks_.original_rank(rank);
    throw CommunicationError(std::string(name_) + ": rank " + std::to_string(original) +
                                 " failed in step '" + report.phase.data() +
                                 "': " + report.text.data(),
                             ranks_.original_rank(ranks_.rank()), report.phase.data(), original);
  }

  const Communicator& ranks_;
  const char* name_;
  Title title_{};
  std::uint64_t digest_;  // of the title
  const int exceptions_ = std::uncaught_exceptions();
  bool ends_on_all_ = false;  // with an exception
  std::exception_ptr error_;
  Report report_{};
};

}  // namespace hashmill::detail
