#pragma once

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cmath>
#include <cstdint>

namespace hashmill::perf {

/// oneTBB's threads, as many as the execution space has, insert, erase and look up.
struct TbbThreads {
  /// Not by `reserve`, which never ends where the buckets that are there suffice (oneTBB 2021.8).
  template <class Map>
  static void reserve(Map& map, std::uint64_t count) {
    if constexpr (requires { map.max_load_factor(); }) {
      const auto load = static_cast<double>(map.max_load_factor());
      map.rehash(static_cast<std::size_t>(std::ceil(static_cast<double>(count) / load)));
    } else {
      map.rehash(count);
    }
  }
  template <class Exec, class Body>
  static void change(const Exec& exec, std::uint64_t count, const Body& body) {
    oneapi::tbb::task_arena arena(exec.concurrency());
    arena.execute([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::uint64_t>(0, count),
                                [&](const auto& range) {
                                  for (std::uint64_t i = range.begin(); i != range.end(); ++i)
                                    body(i);
                                });
    });
  }
  template <class Exec, class Body>
  static void look_up(const Exec& exec, std::uint64_t count, const Body& body) {
    change(exec, count, body);
  }
};

}  // namespace hashmill::perf
