// See the instances.hpp of the folder.
#define HASHMILL_DEFINE_HASH_GRAPHS
#include <hashmill/hash_graph.hpp>
