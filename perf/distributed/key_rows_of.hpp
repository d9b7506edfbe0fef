#pragma once

#include "group_rows.hpp"
#include "join_rows.hpp"
#include "key_rows.hpp"
#include "random_sides.hpp"
#include "shuffle_rows.hpp"
#include "table_rows.hpp"

namespace hashmill::perf {

/// Those of keys of type `Key`.
template <class Key>
KeyRows key_rows_of() {
  using Exec = Kokkos::DefaultExecutionSpace;
  return {shuffle_rows<Exec, Key>,
          build_rows<Exec, Key>,
          look_up_rows<AskContains, Exec, Key>,
          look_up_rows<AskFind, Exec, Key>,
          look_up_rows<AskCount, Exec, Key>,
          intersect_rows<Exec, Key>,
          group_rows<Exec, Key>,
          join_rows<RandomSides<Exec, Key>>};
}

}  // namespace hashmill::perf
