#pragma once

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
};
template <class Exec, class Left, class Right, class Match, class Hash, class Equal>
JoinRequest(const Exec&, JoinKind, const Left&, const Right&, const Match&, Hash, Equal)
    -> JoinRequest<Exec, Left, Right, Match, Hash, Equal>;

}  // namespace hashmill::detail
