#pragma once

#include <hashmill/join/detail/rows_in_parts.hpp>
#include <hashmill/join/options.hpp>

namespace hashmill::detail {

/// What a hash join is asked for: the sides, and which of their rows match. It refers to the sides
/// and the condition, which must outlive it.
template <class Exec, class Left, class Right, class Match, class Hash, class Equal>
struct JoinRequest {
  const Exec& exec;
  JoinKind kind;
  const Left& left;
  const Right& right;
  const Match& match;
  Hash hash;
  Equal equal;
  SidesInParts parts{};  ///< in which rows lie that were partitioned before; of 32-bit numbers
};
template <class Exec, class Left, class Right, class Match, class Hash, class Equal>
JoinRequest(const Exec&, JoinKind, const Left&, const Right&, const Match&, Hash, Equal)
    -> JoinRequest<Exec, Left, Right, Match, Hash, Equal>;
template <class Exec, class Left, class Right, class Match, class Hash, class Equal>
JoinRequest(const Exec&, JoinKind, const Left&, const Right&, const Match&, Hash, Equal,
            const SidesInParts&) -> JoinRequest<Exec, Left, Right, Match, Hash, Equal>;

}  // namespace hashmill::detail
