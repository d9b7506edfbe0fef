#pragma once

/// Columns from and to the Arrow C data interface, through which pyarrow, DuckDB, Polars and others
/// in the same process exchange data. Needs no dependency and copies nothing.
///
///     | header           | contents                                                           |
///     |------------------|--------------------------------------------------------------------|
///     | arrow/owner.hpp  | ArrowOwner, UniqueArrow: release once, move                        |
///     | arrow/view.hpp   | ArrowView: an array with its schema; columns of a batch by name    |
///     | arrow/import.hpp | arrow_column<Value>, arrow_string_column<Offset>, and so on        |
///     | arrow/export.hpp | to_arrow, to_arrow_strings, to_arrow_dictionary, to_arrow_batch    |
///     | arrow/abi.hpp    | ArrowSchema, ArrowArray                                            |

#include <hashmill/arrow/abi.hpp>
#include <hashmill/arrow/export.hpp>
#include <hashmill/arrow/import.hpp>
#include <hashmill/arrow/owner.hpp>
#include <hashmill/arrow/view.hpp>
