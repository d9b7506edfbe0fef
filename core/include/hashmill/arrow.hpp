#pragma once

/// Columns from and to the Arrow C data interface: pyarrow, DuckDB, Polars and others in the same
/// process, without a dependency and without copying.
///
///     | header           | what is there                                                      |
///     |------------------|--------------------------------------------------------------------|
///     | arrow_owner.hpp  | ArrowOwner, UniqueArrow: release once, move                        |
///     | arrow_view.hpp   | ArrowView: an array with its schema; columns of a batch by name    |
///     | arrow_import.hpp | arrow_column<Value>, arrow_string_column<Offset>, and so on        |
///     | arrow_export.hpp | to_arrow, to_arrow_strings, to_arrow_dictionary, to_arrow_batch    |
///     | arrow_abi.hpp    | ArrowSchema, ArrowArray                                            |

#include <hashmill/arrow_abi.hpp>
#include <hashmill/arrow_export.hpp>
#include <hashmill/arrow_import.hpp>
#include <hashmill/arrow_owner.hpp>
#include <hashmill/arrow_view.hpp>
