#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <string>

namespace hashmill::backends {

/// Means that there is no limit.
inline constexpr std::uint64_t unlimited_bytes = std::numeric_limits<std::uint64_t>::max();

/// The number with which a file begins; `otherwise` where the file is missing or begins with a
/// word.
[[nodiscard]] inline std::uint64_t number_in(const std::string& file, std::uint64_t otherwise) {
  std::uint64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// The number after `name` at the beginning of a line of a file; `otherwise` where there is none.
[[nodiscard]] inline std::uint64_t number_after(const std::string& name, const std::string& file,
                                                std::uint64_t otherwise) {
  std::ifstream lines(file);
  for (std::string word, rest; lines >> word; std::getline(lines, rest)) {
    std::uint64_t number = 0;
    if (word == name) return lines >> number ? number : otherwise;
  }
  return otherwise;
}

/// The names by which a version of Linux's control groups reports a group's memory. They are files
/// of the group; `outer_limit` and `cached` are lines of its memory.stat.
struct CgroupNames {
  const char* limit;        ///< beyond it processes are killed
  const char* throttle;     ///< beyond it processes are slowed down; null: none
  const char* usage;        ///< bytes in use, including cached files
  const char* cached;       ///< bytes of these that the kernel gives up on demand
  const char* outer_limit;  ///< the least limit of the group and its ancestors; null: none
};

/// The names of version 1.
inline constexpr CgroupNames cgroup_v1{"/memory.limit_in_bytes", nullptr, "/memory.usage_in_bytes",
                                       "total_inactive_file", "hierarchical_memory_limit"};
/// The names of version 2.
inline constexpr CgroupNames cgroup_v2{"/memory.max", "/memory.high", "/memory.current",
                                       "inactive_file", nullptr};

/// Bytes that the group in `folder` may still take when other groups allow `most`. Its cached bytes
/// are read only where they matter, since the kernel takes longest to report them.
[[nodiscard]] inline std::uint64_t free_in_group(const std::string& folder,
                                                 const CgroupNames& names, std::uint64_t most,
                                                 std::uint64_t outer_limit = unlimited_bytes) {
  std::uint64_t limit = std::min(outer_limit, number_in(folder + names.limit, unlimited_bytes));
  if (names.throttle != nullptr) {
    limit = std::min(limit, number_in(folder + names.throttle, unlimited_bytes));
  }
  if (limit == unlimited_bytes) return most;
  const std::uint64_t usage = number_in(folder + names.usage, 0);
  if (limit - std::min(limit, usage) >= most) return most;
  const std::uint64_t cached = number_after(names.cached, folder + "/memory.stat", 0);
  return std::min(most, limit - std::min(limit, usage - std::min(usage, cached)));
}

/// Bytes that `group` may still take when other groups allow `most`: the least over it and its
/// ancestors, up to the mount point of the hierarchy. Inside a container the folders on the way may
/// be missing, and the mount point may be the container's own group.
[[nodiscard]] inline std::uint64_t free_up_to_mount(const std::string& mount,
                                                    const std::string& group,
                                                    const CgroupNames& names, std::uint64_t most) {
  std::string folder = mount + group;
  while (folder.size() > mount.size() && folder.back() == '/') folder.pop_back();
  for (; folder.size() > mount.size(); folder.resize(folder.rfind('/'))) {
    most = free_in_group(folder, names, most);
  }
  const std::uint64_t outer_limit =
      names.outer_limit == nullptr
          ? unlimited_bytes
          : number_after(names.outer_limit, mount + "/memory.stat", unlimited_bytes);
  return free_in_group(mount, names, most, outer_limit);
}

/// Bytes that this process may still take before its control groups, of either version, slow it
/// down or kill it; at most `most`. Swap does not count. `root` is the folder that stands for "/",
/// without a slash at its end.
[[nodiscard]] inline std::uint64_t cgroup_free_bytes(const std::string& root, std::uint64_t most) {
  const std::string mounts = root + "/sys/fs/cgroup";
  const auto limit = [&](const char* mount, const std::string& group, const CgroupNames& names) {
    most = free_up_to_mount(mounts + mount, group, names, most);
  };
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string id, controllers, group; std::getline(groups, id, ':') &&
                                           std::getline(groups, controllers, ':') &&
                                           std::getline(groups, group);) {
    if (controllers.empty()) {
      limit("", group, cgroup_v2);
      limit("/unified", group, cgroup_v2);  // where both versions are mounted
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      limit("/memory", group, cgroup_v1);
    }
  }
  return most;
}

}  // namespace hashmill::backends
