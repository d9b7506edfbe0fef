#pragma once

#include <algorithm>
#include <array>
#include <exception>
#include <hashmill/communicator.hpp>
#include <hashmill/error.hpp>
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
/// | any other | CommunicationError, which names the lowest rank that failed, its step and its text
/// |
///
/// All messages have been received by then, so that the communicator can still be used.
class CollectiveCall {
 public:
  /// `signature` is a hash of the options and types that must be equal on all ranks.
  CollectiveCall(const Communicator& ranks, const char* name, std::uint64_t signature)
      : ranks_(ranks), name_(name), signature_(signature) {}

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

  /// Sends word r of `out` to rank r and receives its word for this rank as word r of `in`. Throws
  /// where a step failed on any rank.
  void exchange_words(std::span<const std::uint64_t> out, std::span<std::uint64_t> in,
                      const char* phase) const {
    struct Note {
      std::uint64_t failed, signature, word;
    };
    const auto size = static_cast<std::size_t>(ranks_.size());
    std::vector<Note> mine(size, Note{error_ ? 1U : 0U, signature_, 0}), theirs(size);
    for (std::size_t r = 0; r < size; ++r) mine[r].word = out[r];
    ranks_.all_to_all(std::span<const Note>(mine), std::span(theirs), phase);
    for (std::size_t r = 0; r < size; ++r) in[r] = theirs[r].word;
    const auto failed = std::ranges::find(theirs, 1U, &Note::failed);
    if (failed != theirs.end()) throw_failure(static_cast<int>(failed - theirs.begin()));
    for (std::size_t r = 1; r < size; ++r) {
      if (theirs[r].signature == theirs[0].signature) continue;
      throw InvalidArgument(std::string(name_) + ": rank " + std::to_string(r) +
                            " calls it with other columns or options than rank 0");
    }
  }
  /// Throws where a step failed on any rank.
  void agree(const char* phase) const {
    std::vector<std::uint64_t> nothing(static_cast<std::size_t>(ranks_.size()));
    exchange_words(nothing, nothing, phase);
  }

 private:
  struct Report {
    std::array<char, 64> phase;
    std::array<char, 448> text;
  };

  void fail(const char* phase, const std::string& text) {
    error_ = std::current_exception();
    copy_text(phase, report_.phase);
    copy_text(text, report_.text);
  }
  template <std::size_t N>
  static void copy_text(const std::string& text, std::array<char, N>& to) {
    to = {};
    std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
  }
  [[noreturn]] void throw_failure(int rank) const {
    const std::vector<Report> reports = ranks_.all_gather(report_, "report a failure");
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
  std::uint64_t signature_;
  std::exception_ptr error_;
  Report report_{};
};

}  // namespace hashmill::detail
