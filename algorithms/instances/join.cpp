// See the instances.hpp of the folder.
#define HASHMILL_DEFINE_JOINS
#include <hashmill/hash_join.hpp>
