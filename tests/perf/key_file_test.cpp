#include "keys/key_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <hashmill/error.hpp>
#include <hashmill/key.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "keys/key_file_error.hpp"

namespace hashmill::perf {
namespace {

/// A file with the given bytes that is removed with the test.
class ScratchFile {
 public:
  ScratchFile(const std::string& name, std::string_view bytes)
      : path_(std::filesystem::temp_directory_path() /
              ("hashmill-" + std::to_string(::getpid()) + "-" + name)) {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  ~ScratchFile() { std::filesystem::remove(path_); }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

template <class Number>
std::string bytes_of(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

template <class Key>
std::string sosd(std::uint64_t count, const std::vector<Key>& keys) {
  return bytes_of(std::vector<std::uint64_t>{count}) + bytes_of(keys);
}

template <class Key>
std::vector<Key> read_all(const KeyFile& file) {
  std::vector<Key> keys(file.size());
  file.copy_to(keys.data(), keys.size());
  return keys;
}

/// The message with which reading fails, without the path before it.
std::string failure(const KeyFileRequest& request) {
  try {
    const KeyFile file(request);
  } catch (const KeyFileError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with(request.path + ": ")) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.substr(request.path.size() + 2);
  }
  return "no failure";
}

KeyFileRequest as(KeyFileFormat format, const std::string& path, unsigned key_bits = 0) {
  return {path, "", format, key_bits};
}

std::string csv_failure(std::string_view text, const std::string& column = "id",
                        unsigned key_bits = 64) {
  const ScratchFile file("bad.csv", text);
  return failure({file.path(), column, KeyFileFormat::automatic, key_bits});
}

std::vector<std::uint64_t> csv_values(std::string_view text, const std::string& column = "id") {
  const ScratchFile file("good.csv", text);
  return read_all<std::uint64_t>(KeyFile({file.path(), column, KeyFileFormat::automatic, 64}));
}

using Values = std::vector<std::uint64_t>;

TEST(SosdFile, GivesItsKeysAndTheirSize) {
  const std::vector<std::uint32_t> narrow = {7, 0, 0xffffffff};
  const std::vector<std::uint64_t> wide = {1, ~std::uint64_t{0}};
  const ScratchFile narrow_file("keys_uint32", sosd(3, narrow));
  const ScratchFile wide_file("keys_uint64", sosd(2, wide));
  const KeyFile read_narrow({narrow_file.path()});
  const KeyFile read_wide({wide_file.path()});
  EXPECT_EQ(read_narrow.key_bits(), 32u);
  EXPECT_EQ(read_wide.key_bits(), 64u);
  EXPECT_EQ(read_all<std::uint32_t>(read_narrow), narrow);
  EXPECT_EQ(read_all<std::uint64_t>(read_wide), wide);
}

TEST(SosdFile, RefusesFilesWhoseSizesDisagree) {
  const std::vector<std::uint32_t> three = {1, 2, 3};
  const ScratchFile empty("empty", "");
  const ScratchFile header_cut("header", "1234567");
  const ScratchFile no_keys("none", sosd<std::uint32_t>(0, {}));
  const ScratchFile truncated("truncated", sosd(4, three));
  const ScratchFile too_long("long", sosd(2, three));
  const ScratchFile huge("huge", sosd(~std::uint64_t{0} / 4 + 2, three));
  EXPECT_EQ(failure({empty.path()}),
            "byte 0: the file ends inside the 8-byte count of a SOSD file");
  EXPECT_EQ(failure({header_cut.path()}),
            "byte 7: the file ends inside the 8-byte count of a SOSD file");
  EXPECT_EQ(failure({no_keys.path()}), "byte 0: the header announces 0 keys");
  const std::string tail =
      " keys, but 12 bytes follow, which is not 4 or 8 a key (keys without a header: --key-format "
      "raw)";
  EXPECT_EQ(failure({truncated.path()}), "byte 0: the header announces 4" + tail);
  EXPECT_EQ(failure({too_long.path()}), "byte 0: the header announces 2" + tail);
  EXPECT_EQ(failure({huge.path()}), "byte 0: the header announces 4611686018427387905" + tail);
}

TEST(SosdFile, RefusesAnotherKeySizeThanAskedFor) {
  const ScratchFile file("narrow", sosd<std::uint32_t>(2, {1, 2}));
  EXPECT_EQ(failure(as(KeyFileFormat::sosd, file.path(), 64)),
            "byte 0: the header announces 2 keys, but 8 bytes follow: those are 32-bit keys, and "
            "64-bit keys were asked for");
  EXPECT_NE(failure(as(KeyFileFormat::sosd, file.path(), 128)).find("not 128-bit"),
            std::string::npos);
}

TEST(RawFile, GivesItsKeys) {
  const std::vector<std::uint64_t> words = {1, 2, 3, 4};
  const ScratchFile file("keys.raw", bytes_of(words));
  EXPECT_EQ(read_all<std::uint64_t>(KeyFile(as(KeyFileFormat::automatic, file.path(), 64))), words);
  EXPECT_EQ(KeyFile(as(KeyFileFormat::automatic, file.path(), 32)).size(), 8u);
  const auto wide = read_all<Key128>(KeyFile(as(KeyFileFormat::automatic, file.path(), 128)));
  ASSERT_EQ(wide.size(), 2u);
  EXPECT_EQ(wide[1], (Key128{3, 4}));
}

TEST(RawFile, RefusesAnEmptyOneACutKeyAndAnUnknownSize) {
  const ScratchFile empty("empty.raw", "");
  const ScratchFile cut("cut.bin", "123456789");
  EXPECT_EQ(failure(as(KeyFileFormat::automatic, empty.path(), 32)), "byte 0: the file is empty");
  EXPECT_EQ(failure(as(KeyFileFormat::automatic, cut.path(), 32)),
            "byte 8: the last key is cut short: 9 bytes are no multiple of 4");
  EXPECT_EQ(failure(as(KeyFileFormat::automatic, cut.path())),
            "a raw file does not tell its key size: add --key-bits");
}

TEST(CsvColumn, IsFoundByName) {
  const std::string text = "name,id,price\nx,3,1.5\ny,18446744073709551615,\n";
  EXPECT_EQ(csv_values(text), (Values{3, ~std::uint64_t{0}}));
  EXPECT_EQ(csv_values("id\n5"), Values{5});
  EXPECT_EQ(csv_values("\xEF\xBB\xBFid,b\n5,6\n"), Values{5});
}

TEST(CsvColumn, ReadsCarriageReturnsQuotesAndLineBreaksInQuotes) {
  EXPECT_EQ(csv_values("a,id\r\n1,2\r\n3,4\r\n"), (Values{2, 4}));
  EXPECT_EQ(csv_values("id,a\r\n1,2\r\n3,4\r\n\r\n"), (Values{1, 3}));
  EXPECT_EQ(csv_values("a,id,b\n\"x, \"\"y\"\"\n\",7,\"\n\"\nz,\"8\",\n"), (Values{7, 8}));
  EXPECT_EQ(csv_values("\"the \"\"id\"\"\",b\n 4 ,5\n", "the \"id\""), Values{4});
}

TEST(CsvColumn, SaysWhereABadValueIs) {
  EXPECT_EQ(csv_failure("a,id\n1,2\n3,x4\n"), "line 3 (byte 11): 'x4' is not an unsigned integer");
  EXPECT_EQ(csv_failure("id\n12.5\n"), "line 2 (byte 3): '12.5' is not an unsigned integer");
  EXPECT_EQ(csv_failure("id\n-1\n"), "line 2 (byte 3): '-1' is not an unsigned integer");
  EXPECT_EQ(csv_failure("id,a\n1,2\n,3\n"), "line 3 (byte 9): '' is not an unsigned integer");
  EXPECT_EQ(csv_failure("id\n4294967296\n", "id", 32),
            "line 2 (byte 3): '4294967296' is more than the largest key, 4294967295");
  EXPECT_EQ(csv_failure("id\n18446744073709551616\n"),
            "line 2 (byte 3): '18446744073709551616' is more than the largest key, "
            "18446744073709551615");
}

TEST(CsvColumn, IsRefusedWhereTheHeaderNamesItTwice) {
  EXPECT_EQ(csv_failure("id,a,id\n1,2,3\n"),
            "line 1 (byte 0): the header names column 'id' more than once, at 1 and 3");
  EXPECT_EQ(csv_failure("a,\"id\",id,id\n1,2,3,4\n"),
            "line 1 (byte 0): the header names column 'id' more than once, at 2 and 3");
  EXPECT_EQ(csv_values("a,id,a\n1,2,3\n"), Values{2});
}

TEST(CsvColumn, ShowsWholeMessagesWhateverBytesTheFileHolds) {
  const std::string zero(1, '\0');
  EXPECT_EQ(csv_failure("id\n1" + zero + "2\n"),
            "line 2 (byte 3): '1\\x002' is not an unsigned integer");
  EXPECT_EQ(csv_failure("a" + zero + "b,\"c\nd\",\x7f\n1,2,3\n"),
            "line 1 (byte 0): no column 'id' in the header (it has: a\\x00b, c\\x0ad, \\x7f)");
  EXPECT_EQ(csv_failure("id\n\t5\n"), "line 2 (byte 3): '\\x095' is not an unsigned integer");
}

TEST(CsvColumn, OfAVeryWideHeaderIsNotListedInFull) {
  std::string text = "a0";
  for (int i = 1; i < 100'000; ++i) text += ",a" + std::to_string(i);
  EXPECT_LT(csv_failure(text + "\n1\n").size(), 2000u);
}

TEST(CsvColumn, UndoesDoubledQuotesInLinearTime) {
  const std::string quotes(std::size_t{1} << 22, '"');  // undone one by one, these take minutes
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(csv_values("\"" + quotes + "\",id\n1,2\n"), Values{2});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  EXPECT_EQ(csv_values("\"\"\"\"\"\",b\"\n1,2\n", "\"\""), Values{1});
  EXPECT_EQ(csv_values("\"\"\"\"\"\",b\"\n1,2\n", "b\""), Values{2});
}

TEST(CsvColumn, SaysWhatIsMissing) {
  EXPECT_EQ(csv_failure(""), "byte 0: the file is empty, a header row was expected");
  EXPECT_EQ(csv_failure("id,a\n"), "byte 5: no row follows the header");
  EXPECT_EQ(csv_failure("a,b\n1,2\n"),
            "line 1 (byte 0): no column 'id' in the header (it has: a, b)");
  EXPECT_EQ(csv_failure("a,id\n1,2\n3\n"), "line 3 (byte 9): the row ends before column 'id'");
  EXPECT_EQ(csv_failure("id,a\n1,\"2\n3,4\n"), "line 2 (byte 7): quote is never closed");
  EXPECT_EQ(csv_failure("id,a\n\"1\"2,3\n"), "line 2 (byte 8): text after a closing quote");
}

TEST(KeyFile, SaysWhyItCannotBeOpened) {
  EXPECT_EQ(failure({"/no/such/file"}), "cannot open: No such file or directory");
  EXPECT_EQ(failure({"/tmp"}), "not a regular file");
  const ScratchFile csv("plain.csv", "id\n1\n");
  EXPECT_EQ(failure({csv.path()}), "name the column: " + csv.path() + ":COLUMN");
}

TEST(KeyFile, DoesNotWaitForTheWriterOfAPipe) {
  const ScratchFile pipe("pipe", "");
  std::filesystem::remove(pipe.path());
  ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
  EXPECT_EQ(failure({pipe.path()}), "not a regular file");
  EXPECT_EQ(failure({pipe.path(), "id"}), "not a regular file");
}

TEST(KeyFile, SaysThatItWasCutShortAfterItWasOpened) {
  const std::vector<std::uint64_t> words(100'000, 7);
  std::vector<std::uint64_t> read(words.size());
  for (const bool has_header : {true, false}) {
    const ScratchFile file("cut", has_header ? sosd(words.size(), words) : bytes_of(words));
    const auto format = has_header ? KeyFileFormat::sosd : KeyFileFormat::raw;
    const KeyFile keys(as(format, file.path(), 64));
    std::filesystem::resize_file(file.path(), 5000);
    try {
      keys.copy_to(read.data(), read.size());
      ADD_FAILURE() << "read what is not there";
    } catch (const KeyFileError& error) {
      EXPECT_EQ(error.what(), file.path() +
                                  ": byte 5000: the file ends here: it was cut short after it was "
                                  "opened, when it had " +
                                  std::to_string(8 * (words.size() + has_header)) + " bytes");
    }
    keys.copy_to(read.data(), 600);
    EXPECT_EQ(read[599], 7u);
  }
}

TEST(KeyFile, RefusesToCopyMoreThanItHas) {
  const ScratchFile file("two", sosd<std::uint32_t>(2, {1, 2}));
  const KeyFile keys({file.path()});
  std::uint32_t narrow[3];
  std::uint64_t wide[2];
  EXPECT_THROW(keys.copy_to(narrow, 3), InvalidArgument);
  EXPECT_THROW(keys.copy_to(wide, 2), InvalidArgument);
}

TEST(KeyFileRequest, SplitsTheColumnOffUnlessThePathExists) {
  const auto csv = KeyFileRequest::parse("dir/file.csv:order id");
  EXPECT_EQ(csv.path, "dir/file.csv");
  EXPECT_EQ(csv.column, "order id");
  const ScratchFile odd("odd:name", "x");
  EXPECT_EQ(KeyFileRequest::parse(odd.path()).path, odd.path());
  EXPECT_EQ(KeyFileRequest::parse("keys.bin").column, "");
}

TEST(KeyFileRequest, TakesColumnsAndPathsWithColons) {
  const ScratchFile csv("times.csv", "10:30,b\n7,8\n");
  const auto column = KeyFileRequest::parse(csv.path() + ":10:30");
  EXPECT_EQ(column.path, csv.path());
  EXPECT_EQ(column.column, "10:30");
  EXPECT_EQ(read_all<std::uint64_t>(KeyFile(column)), Values{7});
  EXPECT_EQ(KeyFileRequest::parse(csv.path() + "::").column, ":");
  const ScratchFile longer("times.csv:10", "30\n9\n");
  const auto of_longer = KeyFileRequest::parse(csv.path() + ":10:30");
  EXPECT_EQ(of_longer.path, longer.path());
  EXPECT_EQ(of_longer.column, "30");
  const auto none = KeyFileRequest::parse("no such:file:column");
  EXPECT_EQ(none.path, "no such:file");
  EXPECT_EQ(none.column, "column");
  EXPECT_EQ(KeyFileRequest::parse(":x").path, ":x");
}

}  // namespace
}  // namespace hashmill::perf
