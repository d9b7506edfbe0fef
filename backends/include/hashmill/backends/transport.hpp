#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hashmill/backends/event.hpp>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace hashmill::backends {

/// Where the arrays of an exchange lie.
enum class MemoryKind {
  host,   ///< memory of this process
  device  ///< memory that kernels of `Kokkos::DefaultExecutionSpace` use, where hosts cannot
};

/// The kind of a memory space.
template <class MemorySpace>
inline constexpr MemoryKind memory_kind =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible ? MemoryKind::host
                                                                           : MemoryKind::device;

/// Copies bytes within one kind of memory. Waits for the copy.
inline void copy_bytes(MemoryKind memory, std::byte* to, const std::byte* from,
                       std::uint64_t bytes) {
  if (bytes == 0) return;
  if (memory == MemoryKind::host) {
    std::memcpy(to, from, bytes);
    return;
  }
  using Space = Kokkos::DefaultExecutionSpace::memory_space;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  const Kokkos::DefaultExecutionSpace exec;
  Kokkos::deep_copy(exec, Kokkos::View<std::byte*, Space, Unmanaged>(to, bytes),
                    Kokkos::View<const std::byte*, Space, Unmanaged>(from, bytes));
  exec.fence("hashmill: a copy between ranks is done");
}

/// Bytes for another rank.
struct Send {
  int rank;
  const std::byte* data;
  std::uint64_t bytes;
};

/// Room for bytes of another rank.
struct Receive {
  int rank;
  std::byte* data;
  std::uint64_t bytes;
};

/// What a rank sends and receives in one step: a sparse all-to-all. The pieces of a pair of ranks
/// match in the order in which both name them, and in their bytes. A rank may send to itself.
/// Kernels that write what is sent, or read what is overwritten, have ended, or end before `after`.
struct Exchange {
  std::span<const Send> sends;
  std::span<const Receive> receives;
  /// Exchanges with different tags do not match each other; below `notice_tag`.
  int tag = 0;
  /// Where all its arrays lie.
  MemoryKind memory = MemoryKind::host;
  /// Keeps the arrays until all is done, also where nobody waits for that any more.
  std::shared_ptr<const void> owner{};
  /// What all of it comes after, unless null. It lives until the exchange is started.
  const DeviceEvent* after = nullptr;
};

/// Thrown by a transport: something went wrong at a rank, -1 if it is unknown which.
class TransportFailure : public std::runtime_error {
 public:
  /// `what` went wrong at `rank`.
  TransportFailure(int rank, const std::string& what) : std::runtime_error(what), rank_(rank) {}
  /// The rank at which it went wrong; -1 if that is not known.
  [[nodiscard]] int rank() const noexcept { return rank_; }

 private:
  int rank_;
};

/// The tag of failure notices: the last one that every MPI has. Those of exchanges are below it.
inline constexpr int notice_tag = (1 << 15) - 1;

/// What a rank whose connection ended tells the others, so that they do not wait for it.
struct FailureNotice {
  int reporter;  ///< the rank that tells it
  int failed;    ///< the rank that failed; -1 if that is not known
  std::array<char, 240> cause;
};

/// Copies as much of a text as an array holds, which then ends with zeros.
template <std::size_t N>
void copy_text(const std::string& text, std::array<char, N>& to) {
  to = {};
  std::copy_n(text.begin(), std::min(text.size(), N - 1), to.begin());
}

/// An exchange under way.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Whether all is sent and received. Never waits; throws `TransportFailure`.
  virtual bool test() = 0;
  /// The ranks of the pieces that are not yet done, one for each. Throws no `TransportFailure`:
  /// pieces that failed are not done, and `test` tells of them.
  [[nodiscard]] virtual std::vector<int> pending() const = 0;
};

/// What ranks communicate through: MPI, NCCL, or the memory of a process. It only starts things.
/// `Communicator` makes collective calls of them and does all the waiting, in one place.
class Transport {
 public:
  virtual ~Transport() = default;
  /// The number of this rank, below `size()`.
  [[nodiscard]] virtual int rank() const = 0;
  /// The number of ranks.
  [[nodiscard]] virtual int size() const = 0;
  /// Whether exchanges of device memory come after an event by themselves. Otherwise it is reached
  /// before they are started.
  [[nodiscard]] virtual bool orders_after_events() const { return false; }
  /// Starts an exchange. Never waits for another rank.
  [[nodiscard]] virtual std::unique_ptr<Transfer> start(const Exchange& exchange) = 0;
  /// Whether a rank left for good. Asked only of ranks that are waited for.
  [[nodiscard]] virtual bool has_left(int /*rank*/) const { return false; }
  /// Ends all ranks.
  [[noreturn]] virtual void abort(int code) = 0;
  /// Nothing more will be started. Keeps a transfer that failed, and its arrays, until no rank can
  /// touch them any more, which may be never.
  virtual void abandon(std::unique_ptr<Transfer> transfer) noexcept = 0;
  /// Tells all other ranks of a failure, as far as that works without waiting for them.
  virtual void notify(const FailureNotice& /*notice*/) noexcept {}
  /// The next notice of another rank that has come. Each comes once.
  [[nodiscard]] virtual std::optional<FailureNotice> notice() noexcept { return {}; }
};

/// Calls `copy(receive, send)` for each piece that a rank sends to itself. Throws
/// `TransportFailure` unless both sides name the same bytes.
template <class Copy>
void for_each_own_piece(const Exchange& exchange, int rank, const Copy& copy) {
  auto send = exchange.sends.begin();
  for (const Receive& receive : exchange.receives) {
    if (receive.rank != rank) continue;
    while (send != exchange.sends.end() && send->rank != rank) ++send;
    if (send == exchange.sends.end() || send->bytes != receive.bytes) {
      throw TransportFailure(rank, "a rank does not receive what it sends to itself");
    }
    copy(receive, *send);
    ++send;
  }
}

/// Copies what a rank sends to itself, and waits for that.
inline void copy_own_pieces(const Exchange& exchange, int rank) {
  for_each_own_piece(exchange, rank, [&](const Receive& receive, const Send& send) {
    copy_bytes(exchange.memory, receive.data, send.data, receive.bytes);
  });
}

}  // namespace hashmill::backends
