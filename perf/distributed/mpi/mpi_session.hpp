#pragma once

#include <mpi.h>

#include <hashmill/backends/mpi_call.hpp>

namespace hashmill::perf {

/// MPI, from here to the end of the command.
class MpiSession {
 public:
  MpiSession() {
    int threads = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession() { MPI_Finalize(); }
};

/// The first ranks of MPI_COMM_WORLD, and the others, as communicators of MPI.
class MpiPart {
 public:
  /// Collective. `is_in`: whether this rank is among the first.
  explicit MpiPart(bool is_in) {
    backends::require_mpi(MPI_Comm_split(MPI_COMM_WORLD, is_in ? 0 : 1, 0, &ranks_),
                          "MPI_Comm_split");
  }
  MpiPart(const MpiPart&) = delete;
  MpiPart& operator=(const MpiPart&) = delete;
  ~MpiPart() { MPI_Comm_free(&ranks_); }

  MPI_Comm get() const { return ranks_; }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
};

}  // namespace hashmill::perf
