#pragma once

#include <hashmill/backends/throttled_transport.hpp>
#include <string>

namespace hashmill::perf {

/// The link that a text names: bytes a second and, behind a comma, the latency, as "25GB/s,5us".
/// Units are B/s, kB/s, MB/s, GB/s and TB/s; ns, us, ms and s. Throws `InvalidArgument`.
backends::LinkSpeed parse_link(const std::string& text);

}  // namespace hashmill::perf
