// See the instances.hpp of the folder.
#define HASHMILL_DEFINE_GROUP_BYS
#include <hashmill/group_by.hpp>
