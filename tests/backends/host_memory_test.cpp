#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/host_memory.hpp>
#include <iostream>
#include <map>
#include <string>

#ifdef __linux__
#include <sys/resource.h>
#include <unistd.h>

namespace hashmill::test {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t machine_free = 8000 * mib;

/// A file system of a machine with 16000 MiB, of which 8000 are free, and the files given.
class FakeRoot {
 public:
  explicit FakeRoot(const std::map<std::string, std::string>& files)
      : path_(std::filesystem::temp_directory_path() /
              ("hashmill_root_" + std::to_string(getpid()))) {
    write("proc/meminfo",
          "MemTotal:       16384000 kB\nMemFree:    1 kB\nMemAvailable:    8192000 kB\n");
    for (const auto& [name, text] : files) write(name, text);
  }
  ~FakeRoot() { std::filesystem::remove_all(path_); }
  FakeRoot(const FakeRoot&) = delete;
  FakeRoot& operator=(const FakeRoot&) = delete;

  [[nodiscard]] backends::MemoryBytes memory() const {
    return backends::system_memory(path_.string());
  }

 private:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }

  std::filesystem::path path_;
};

using Files = std::map<std::string, std::string>;

std::string bytes(std::uint64_t mebibytes) { return std::to_string(mebibytes * mib) + "\n"; }

std::uint64_t free_mib(const Files& files) {
  const std::uint64_t free = FakeRoot(files).memory().free;
  EXPECT_EQ(free % mib, 0U) << free;
  return free / mib;
}

const std::string v2 = "sys/fs/cgroup/";
const std::string v1 = "sys/fs/cgroup/memory/";
const std::string own = "proc/self/cgroup";

TEST(SystemMemory, IsTheMachinesWithoutControlGroups) {
  const auto memory = FakeRoot({}).memory();
  EXPECT_EQ(memory.free, machine_free);
  EXPECT_EQ(memory.total, 16000 * mib);
  EXPECT_EQ(free_mib({{own, ""}}), 8000U);
  EXPECT_EQ(free_mib({{own, "0::/\n"}}), 8000U);
  EXPECT_EQ(free_mib({{own, "0::/gone/from (deleted)\n"}}), 8000U);
}

TEST(SystemMemory, SystemsWithoutMeminfoAreAskedOtherwise) {
  const auto memory = backends::system_memory("/no/such/folder");
  EXPECT_GT(memory.free, mib);
  EXPECT_LE(memory.free, memory.total);
}

TEST(SystemMemory, EndsAtTheLimitOfTheContainer) {
  const Files container{
      {own, "0::/\n"}, {v2 + "memory.max", bytes(1000)}, {v2 + "memory.current", bytes(300)}};
  EXPECT_EQ(free_mib(container), 700U);
}

TEST(SystemMemory, EndsAtTheLeastLimitOfTheGroupAndItsAncestors) {
  Files files{{own, "0::/pod/app/worker\n"},
              {v2 + "pod/app/worker/memory.max", bytes(3000)},
              {v2 + "pod/app/worker/memory.current", bytes(500)},
              {v2 + "pod/app/memory.max", "max\n"},
              {v2 + "pod/app/memory.current", bytes(600)}};
  EXPECT_EQ(free_mib(files), 2500U);
  files[v2 + "pod/memory.max"] = bytes(4000);
  files[v2 + "pod/memory.current"] = bytes(3900);
  EXPECT_EQ(free_mib(files), 100U) << "others of the pod hold the rest";
  files[v2 + "other/memory.max"] = bytes(1);
  files[v2 + "pod/app/worker/child/memory.max"] = bytes(1);
  EXPECT_EQ(free_mib(files), 100U) << "groups it is not in do not count";
}

TEST(SystemMemory, EndsWhereProcessesAreSlowedDown) {
  Files files{{own, "0::/app\n"},
              {v2 + "app/memory.max", bytes(1000)},
              {v2 + "app/memory.high", bytes(800)},
              {v2 + "app/memory.current", bytes(300)}};
  EXPECT_EQ(free_mib(files), 500U);
  files[v2 + "app/memory.max"] = "max\n";
  EXPECT_EQ(free_mib(files), 500U);
  files[v2 + "app/memory.high"] = "max\n";
  EXPECT_EQ(free_mib(files), 8000U);
}

TEST(SystemMemory, CachedFilesCountAsFree) {
  Files files{{own, "0::/app\n"},
              {v2 + "app/memory.max", bytes(1000)},
              {v2 + "app/memory.current", bytes(900)},
              {v2 + "app/memory.stat",
               "anon 1\nfile 2\ninactive_anon 3\ninactive_file " + bytes(400) + "slab 4\n"}};
  EXPECT_EQ(free_mib(files), 500U);
  files[v2 + "app/memory.stat"] = "inactive_file " + bytes(950);
  EXPECT_EQ(free_mib(files), 1000U) << "read later than what is in use";
}

TEST(SystemMemory, IsNoneInGroupsThatAreFull) {
  Files files{{own, "0::/app\n"},
              {v2 + "app/memory.max", bytes(1000)},
              {v2 + "app/memory.current", bytes(1000)}};
  EXPECT_EQ(free_mib(files), 0U);
  files[v2 + "app/memory.current"] = bytes(1200);
  EXPECT_EQ(free_mib(files), 0U);
  files[v2 + "app/memory.max"] = "0\n";
  EXPECT_EQ(free_mib(files), 0U);
}

TEST(SystemMemory, IsTheMachinesInGroupsWithMore) {
  EXPECT_EQ(free_mib({{own, "0::/app\n"},
                      {v2 + "app/memory.max", bytes(64000)},
                      {v2 + "app/memory.current", bytes(10)}}),
            8000U);
}

TEST(SystemMemory, KnowsTheFirstVersionOfControlGroups) {
  Files files{
      {own, "5:cpu,cpuacct:/other\n4:memory:/docker/app\n1:name=systemd:/\n0::/\n"},
      {v1 + "docker/app/memory.limit_in_bytes", bytes(2000)},
      {v1 + "docker/app/memory.usage_in_bytes", bytes(700)},
      {v1 + "docker/app/memory.stat", "inactive_file 1\nhierarchical_memory_limit " + bytes(2000) +
                                          "total_inactive_file " + bytes(200)},
      {v1 + "memory.limit_in_bytes", "9223372036854771712\n"},
      {v1 + "memory.usage_in_bytes", bytes(9000)}};
  EXPECT_EQ(free_mib(files), 1500U);
  files[v1 + "docker/memory.limit_in_bytes"] = bytes(1000);
  files[v1 + "docker/memory.usage_in_bytes"] = bytes(800);
  EXPECT_EQ(free_mib(files), 200U);
}

TEST(SystemMemory, HugeLimitsOfTheFirstVersionAreNone) {
  for (const char* huge : {"9223372036854771712", "9223372036854775807", "18446744073709551615",
                           "99999999999999999999999", "-1", ""}) {
    EXPECT_EQ(free_mib({{own, "4:memory:/app\n"},
                        {v1 + "app/memory.limit_in_bytes", huge},
                        {v1 + "app/memory.usage_in_bytes", bytes(700)}}),
              8000U)
        << huge;
  }
}

TEST(SystemMemory, SeesTheOwnGroupWhereItsContainerMountsIt) {
  EXPECT_EQ(free_mib({{own, "9:cpu,memory:/docker/0123\n"},
                      {v1 + "memory.limit_in_bytes", bytes(1000)},
                      {v1 + "memory.usage_in_bytes", bytes(100)}}),
            900U);
}

TEST(SystemMemory, HeedsGroupsOutOfSight) {
  EXPECT_EQ(free_mib({{own, "9:memory:/\n"},
                      {v1 + "memory.limit_in_bytes", "9223372036854771712\n"},
                      {v1 + "memory.usage_in_bytes", bytes(100)},
                      {v1 + "memory.stat", "hierarchical_memory_limit " + bytes(1000)}}),
            900U);
}

TEST(SystemMemory, KnowsBothVersionsBesideEachOther) {
  Files files{{own, "3:memory:/a\n0::/b\n"},
              {v1 + "a/memory.limit_in_bytes", bytes(2000)},
              {v2 + "unified/b/memory.max", bytes(1000)}};
  EXPECT_EQ(free_mib(files), 1000U);
  files[v1 + "a/memory.limit_in_bytes"] = bytes(500);
  EXPECT_EQ(free_mib(files), 500U);
}

using HostWords = Kokkos::View<std::uint64_t*, Kokkos::HostSpace>;

/// What an allocation of `bytes` of the host comes to.
CapacityError error_of(std::uint64_t bytes) {
  try {
    const auto view = backends::allocate<HostWords>(Kokkos::DefaultHostExecutionSpace(),
                                                    "hashmill::test::large", bytes / 8);
    return {"allocated " + view.label(), 0, 0};
  } catch (const CapacityError& error) {
    return error;
  }
}

TEST(HostMemory, ArraysThatTheMachineHasNoRoomForAreRefused) {
  // The kernel would hand out this much: it is less than all the machine has.
  const std::uint64_t bytes = (backends::host_memory().total - 64 * mib) / 8 * 8;
  const CapacityError error = error_of(bytes);
  EXPECT_EQ(error.needed(), bytes) << error.what();
  EXPECT_LT(error.available(), bytes);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/// Leaves this process `room` bytes under a limit, then checks what it is told. Never returns.
[[noreturn]] void allocate_under(int resource, std::uint64_t room) {
  std::uint64_t used = 0;
  std::ifstream statm("/proc/self/statm");
  for (int field = 0; field < (resource == RLIMIT_AS ? 1 : 6); ++field) statm >> used;
  rlimit limit{};
  getrlimit(resource, &limit);
  limit.rlim_cur = used * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) + room;
  if (setrlimit(resource, &limit) != 0) _exit(2);
  for (const std::uint64_t bytes : {room / 2, room + mib, 4 * room}) {
    const CapacityError error = error_of(bytes);
    const bool fits = bytes < room;
    const bool told = error.needed() == (fits ? 0 : bytes) && error.available() <= room &&
                      (fits || error.available() > room / 2);
    if (!told) {
      std::cerr << bytes << " of " << room << ": " << error.what() << std::endl;
      _exit(1);
    }
  }
  _exit(0);
}

/// Runs the check in a process of its own.
void expect_limit(int resource) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(allocate_under(resource, 512 * mib), testing::ExitedWithCode(0), "");
}

TEST(HostMemory, EndsAtTheLimitOfAddresses) { expect_limit(RLIMIT_AS); }

TEST(HostMemory, EndsAtTheLimitOfData) { expect_limit(RLIMIT_DATA); }
#endif

}  // namespace
}  // namespace hashmill::test
#endif
