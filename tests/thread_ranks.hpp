#pragma once

#include <exception>
#include <hashmill/communicator.hpp>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "rank_exec.hpp"

namespace hashmill::test {

/// Runs `rank_program(communicator)` on ranks that are threads, and talk through
/// `transport_of(thread_transport)`. Throws what the lowest rank that failed threw.
template <class TransportOf, class RankProgram>
void on_thread_ranks(int size, const CommunicationOptions& options, const TransportOf& transport_of,
                     const RankProgram& program) {
  const auto meeting = std::make_shared<backends::ThreadMeeting>(size);
  // Making one can take longer than ranks wait for each other, so no rank does.
  const auto execs = RankExec::of_threads(size);
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(size));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const RankExec exec(execs[static_cast<std::size_t>(rank)]);
        program(Communicator(
            transport_of(std::make_unique<backends::ThreadTransport>(meeting, rank)), options));
      } catch (...) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// As above, of ranks that talk through a `ThreadTransport`.
template <class RankProgram>
void on_thread_ranks(int size, const CommunicationOptions& options, const RankProgram& program) {
  const auto as_it_is = [](std::unique_ptr<backends::ThreadTransport> transport) {
    return transport;
  };
  on_thread_ranks(size, options, as_it_is, program);
}

}  // namespace hashmill::test
