#pragma once

#include <cstdint>

/// The two structs of Arrow's C data interface (arrow.apache.org/docs/format/CDataInterface.html),
/// through which libraries of one process exchange columns without a common dependency. Names, the
/// order of members and the include guard are those of the specification. Whichever header defines
/// them first serves all. Flags are macros because the specification has them so.
///
/// The producer fills a struct in and the consumer receives it. A struct whose `release` is null is
/// released: it holds nothing. It is moved by copying it and marking the source released.

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1  ///< the order of the dictionary's values has a meaning
#define ARROW_FLAG_NULLABLE 2            ///< there may be nulls
#define ARROW_FLAG_MAP_KEYS_SORTED 4     ///< the keys of each map are sorted

extern "C" {

/// The type of an array.
struct ArrowSchema {
  const char* format;    ///< the type, by letters; with a dictionary that of its codes
  const char* name;      ///< of the column, or null
  const char* metadata;  ///< or null
  std::int64_t flags;
  std::int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;  ///< the type of its values, or null

  void (*release)(struct ArrowSchema*);
  void* private_data;
};

/// The data of an array; its schema tells what they mean.
struct ArrowArray {
  std::int64_t length;      ///< rows
  std::int64_t null_count;  ///< or -1: not counted
  std::int64_t offset;      ///< where row 0 is, in rows from the beginning of each buffer
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;  ///< [0] is the bitmap of validity, or null
  struct ArrowArray** children;
  struct ArrowArray* dictionary;

  void (*release)(struct ArrowArray*);
  void* private_data;
};

}  // extern "C"

#endif  // ARROW_C_DATA_INTERFACE

// Checked whichever header defined them.
static_assert(sizeof(ArrowSchema) == 2 * sizeof(std::int64_t) + 7 * sizeof(void*) ||
                  sizeof(void*) != 8,
              "hashmill: ArrowSchema is not that of the Arrow C data interface");
static_assert(sizeof(ArrowArray) == 5 * (sizeof(std::int64_t) + sizeof(void*)) ||
                  sizeof(void*) != 8,
              "hashmill: ArrowArray is not that of the Arrow C data interface");
