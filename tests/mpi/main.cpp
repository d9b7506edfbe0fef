#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  int threads = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &threads);
  testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {  // one report is enough; failures are printed by every rank
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    class Failures : public testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        int me = 0;
        MPI_Comm_rank(MPI_COMM_WORLD, &me);
        std::fprintf(stderr, "rank %d, %s:%d: %s\n", me, result.file_name(), result.line_number(),
                     result.message());
      }
    };
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new Failures);
  }
  int failed = 0;
  {
    const Kokkos::ScopeGuard kokkos(argc, argv);
    failed = RUN_ALL_TESTS();
  }
  MPI_Finalize();
  return failed;
}
