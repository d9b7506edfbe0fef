#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <hashmill/error.hpp>
#include <new>
#include <string>

// Each `operator new` of the thread that changes a table fails in turn, not only those of large
// arrays. Labels, fences and callbacks also take a few bytes, some of them between a kernel and the
// lines that record what it did. After each failure a table must be unchanged or empty.

namespace hashmill::test {

/// Lets `operator new` fail at one call of this thread, and for good or not at those that follow.
class FailingNew {
 public:
  FailingNew(std::int64_t call, bool for_good);
  ~FailingNew();
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  /// Whether the last one let a call fail.
  [[nodiscard]] static bool has_failed();
  /// Whether calls by Kokkos's destructors are known, which do not fail: it would end the program.
  /// They are where Kokkos is a shared library.
  [[nodiscard]] static bool can_spare_kokkos();
};

/// What a CapacityError leaves of a change: nothing, or what had been done of it by then, such as
/// rows inserted before a table had to grow.
enum class ShortOfMemory { as_before, in_part };

/// Makes a table, changes it with one failing call after the other, and compares: after a failure
/// with what it was before (or nothing), and after another try with what a change makes of that.
/// `change` is one of a table, `change_model` that of its contents.
template <class Make, class Change, class Contents, class ChangeModel>
void fail_everywhere(const Make& make, const Change& change, const Contents& contents_of,
                     const ChangeModel& change_model,
                     ShortOfMemory short_of_memory = ShortOfMemory::as_before) {
  for (const bool for_good : {false, true}) {
    std::uint64_t failures = 0;
    for (std::int64_t call = 0;; ++call) {
      SCOPED_TRACE(std::to_string(call) + (for_good ? " and all after it" : ""));
      auto table = make();
      const auto before = contents_of(table);
      bool done = false, in_part = false;
      try {
        const FailingNew failing(call, for_good);
        change(table);
        done = true;
      } catch (const std::bad_alloc&) {
      } catch (const CapacityError&) {
        in_part = short_of_memory == ShortOfMemory::in_part;
      }
      const bool failed = FailingNew::has_failed();
      auto expected = before;
      if (done) {
        expected = change_model(before);
      } else {
        ++failures;
        const auto after = contents_of(table);
        if (in_part) {
          const auto whole = change_model(before);
          ASSERT_TRUE(std::includes(after.begin(), after.end(), before.begin(), before.end()));
          ASSERT_TRUE(std::includes(whole.begin(), whole.end(), after.begin(), after.end()));
          continue;
        }
        if (after != before) expected = {};
        ASSERT_TRUE(after == expected) << "neither as before nor empty";
        change(table);
        expected = change_model(expected);
      }
      ASSERT_TRUE(contents_of(table) == expected) << (done ? "after success" : "after a retry");
      if (!failed) break;
    }
    EXPECT_GT(failures, 0U);
  }
}

}  // namespace hashmill::test
