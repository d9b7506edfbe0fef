#include "thread_cases.hpp"

namespace {

using namespace hashmill;

class ThreadTables : public test::ThreadCases {};

TEST_P(ThreadTables, Case) { run(); }

INSTANTIATE_TEST_SUITE_P(DistributedHashGraph, ThreadTables,
                         test::on_few_ranks(test::distributed_hash_graph_cases()),
                         test::case_and_ranks);

}  // namespace
