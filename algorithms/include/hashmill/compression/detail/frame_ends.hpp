#pragma once

#include <hashmill/backends/execution.hpp>
#include <hashmill/compression/detail/frame.hpp>

namespace hashmill::detail {

/// The first bytes of a frame of at least 40. Waits for `exec`.
template <class Exec, class Bytes>
[[nodiscard]] FrameHeader fetch_header(const Exec& exec, const Bytes& frame) {
  FrameHeader header;
  const Kokkos::View<std::byte*, Kokkos::HostSpace> copy(reinterpret_cast<std::byte*>(&header),
                                                         sizeof(header));
  Kokkos::deep_copy(exec, copy,
                    Kokkos::subview(frame, std::make_pair(std::size_t{0}, sizeof(header))));
  exec.fence("hashmill::compression: the header of a frame is needed");
  return header;
}

/// A sink of decoded values.
template <class Out>
struct StoreValue {
  Out out;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t row,
                                              typename Out::non_const_value_type value) const {
    out(row) = value;
  }
};

}  // namespace hashmill::detail
