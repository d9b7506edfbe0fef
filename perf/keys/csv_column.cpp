#include "csv_column.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>
#include <system_error>

#include "key_file_error.hpp"
#include "machine/free_memory.hpp"

namespace hashmill::perf {
namespace {

/// One field as it stands in the file, without the quotes around it.
struct Field {
  const char* begin = nullptr;
  const char* end = nullptr;
  bool ends_row = false;
};

/// Walks over the fields of a comma-separated file held in memory; line breaks at the end of the
/// file are no rows.
class FieldCursor {
 public:
  FieldCursor(const std::string& path, std::string_view bytes)
      : path_(path), first_(bytes.data()), last_(first_ + bytes.size()), next_(first_) {
    if (bytes.starts_with("\xEF\xBB\xBF")) next_ += 3;
    while (last_ != next_ && (last_[-1] == '\n' || last_[-1] == '\r')) --last_;
  }

  bool at_end() const { return next_ == last_; }

  /// Reads the field at the cursor and moves past its separator.
  Field next() { return next_ != last_ && *next_ == '"' ? next_quoted() : next_plain(); }

  /// Moves to the row after the current one.
  void skip_row() {
    while (!next().ends_row) {
    }
  }

  [[noreturn]] void fail(const char* where, const std::string& reason) const {
    const auto line = 1 + std::count(first_, where, '\n');
    throw KeyFileError(path_, static_cast<std::uint64_t>(line),
                       static_cast<std::uint64_t>(where - first_), reason);
  }

 private:
  Field next_plain() {
    Field field{next_, next_, false};
    while (field.end != last_ && *field.end != ',' && *field.end != '\n') ++field.end;
    next_ = field.end;
    field.ends_row = pass_separator();
    if (field.ends_row && field.end != field.begin && field.end[-1] == '\r') --field.end;
    return field;
  }

  Field next_quoted() {
    const char* const quote = next_++;
    Field field{next_, nullptr, false};
    for (;;) {
      next_ = static_cast<const char*>(
          std::memchr(next_, '"', static_cast<std::size_t>(last_ - next_)));
      if (next_ == nullptr) fail(quote, "quote is never closed");
      field.end = next_++;
      if (next_ == last_ || *next_ != '"') break;
      ++next_;
    }
    if (next_ != last_ && *next_ == '\r') ++next_;
    if (next_ != last_ && *next_ != ',' && *next_ != '\n')
      fail(next_, "text after a closing quote");
    field.ends_row = pass_separator();
    return field;
  }

  /// Steps over the comma or line break at the cursor; true if the row ends here.
  bool pass_separator() {
    if (next_ == last_) return true;
    return *next_++ == '\n';
  }

  const std::string& path_;
  const char* first_;
  const char* last_;
  const char* next_;
};

/// Text of a field with doubled quotes undone.
std::string unescaped(const Field& field) {
  std::string text;
  for (const char* at = field.begin; at != field.end; ++at) {
    text += *at;
    if (*at == '"' && at + 1 != field.end && at[1] == '"') ++at;
  }
  return text;
}

/// The names of a header in a message, of which long ones are cut.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most_characters = 1000;
  std::string list;
  for (const std::string& name : names) {
    list += (list.empty() ? "" : ", ") + name;
    if (list.size() > most_characters) return list.substr(0, most_characters) + " ...";
  }
  return list;
}

/// Reads the header row; index of the column named `column`.
std::size_t find_column(FieldCursor& cursor, std::string_view column, const char* first_byte) {
  std::vector<std::string> names;
  std::vector<std::size_t> found;
  for (bool ends_row = cursor.at_end(); !ends_row;) {
    const Field field = cursor.next();
    ends_row = field.ends_row;
    names.push_back(unescaped(field));
    if (names.back() == column) found.push_back(names.size());
  }
  const std::string quoted = std::string("'").append(column).append("'");
  if (found.empty())
    cursor.fail(first_byte,
                "no column " + quoted + " in the header (it has: " + listed(names) + ")");
  if (found.size() > 1) {
    cursor.fail(first_byte, "the header names column " + quoted + " more than once, at " +
                                std::to_string(found[0]) + " and " + std::to_string(found[1]));
  }
  return found.front() - 1;
}

/// All bytes of the file.
std::string read_all(const InputFile& file) {
  require_free_memory<Kokkos::HostSpace>(file.size(), file.path());
  std::string bytes(file.size(), '\0');
  file.read(0, file.size(), bytes.data());
  return bytes;
}

/// Value of a field, spaces around it ignored.
std::uint64_t parse_value(const FieldCursor& cursor, Field field, std::uint64_t largest) {
  while (field.begin != field.end && *field.begin == ' ') ++field.begin;
  while (field.begin != field.end && field.end[-1] == ' ') --field.end;
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(field.begin, field.end, value);
  if (error == std::errc{} && stop == field.end && value <= largest) return value;
  std::string text(1, '\'');
  text.append(field.begin, std::min(field.end, field.begin + 40)).append(1, '\'');
  const bool is_number = error != std::errc::invalid_argument && stop == field.end;
  if (!is_number) cursor.fail(field.begin, text + " is not an unsigned integer");
  cursor.fail(field.begin, text + " is more than the largest key, " + std::to_string(largest));
}

}  // namespace

std::vector<std::uint64_t> read_csv_column(const InputFile& file, std::string_view column,
                                           std::uint64_t largest) {
  if (file.size() == 0)
    throw KeyFileError(file.path(), 0, "the file is empty, a header row was expected");
  const std::string bytes = read_all(file);
  FieldCursor cursor(file.path(), bytes);
  const std::size_t wanted = find_column(cursor, column, bytes.data());
  std::vector<std::uint64_t> values;
  while (!cursor.at_end()) {
    Field field = cursor.next();
    for (std::size_t index = 0; index < wanted; ++index) {
      if (field.ends_row)
        cursor.fail(field.begin, "the row ends before column '" + std::string(column) + "'");
      field = cursor.next();
    }
    values.push_back(parse_value(cursor, field, largest));
    if (!field.ends_row) cursor.skip_row();
  }
  if (values.empty()) throw KeyFileError(file.path(), file.size(), "no row follows the header");
  return values;
}

}  // namespace hashmill::perf
