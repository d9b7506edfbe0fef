#pragma once

#include <hashmill/spill/detail/spill_file.hpp>
#include <hashmill/spill/detail/stored_batch.hpp>
#include <optional>
#include <variant>

namespace hashmill::detail {

/// Batches of rows in parts. They lie in memory of the execution space while it suffices, then in
/// pinned memory of the host, then in a file (see MemoryBudget). Batches of a part keep their
/// order.
///
/// Where memory is short, `make_room` takes away, in this order:
///
///     1. from the part in lower tiers that has most in memory, if that is a 1024th of the memory
///     2. all of the highest part that lies in memory as a whole; so low parts stay there longest
///     3. from parts as in 1, if that is less
///
/// The file is written in blocks, which several parts share. A part is read piece by piece, so that
/// pieces must not be too small. Many parts must not wait for too large ones either.
///
/// For one host thread.
template <class Exec, class File = SpillFile<Exec>>
class PartStore {
 public:
  using Memory = typename Exec::memory_space;

  /// `budget` has been resolved; the account is made of it, and outlives the store. Throws
  /// CapacityError where memory for blocks of the file is short.
  PartStore(MemoryAccount& account, const MemoryBudget& budget)
      : account_(account),
        directory_(budget.directory),
        pool_(account, MemoryTier::device),
        host_pool_(account, MemoryTier::host) {
    if (budget.file == 0) return;
    way_ = account.take(File::way_tier, spill_way_bytes<File>(account), "blocks of a file");
  }

  /// Adds empty parts, above all others. Returns the number of the first.
  std::size_t add_parts(std::size_t count) {
    parts_.resize(parts_.size() + count);
    return parts_.size() - count;
  }
  /// Removes the parts from `first` on.
  void remove_parts(std::size_t first) {
    for (std::size_t p = first; p < parts_.size(); ++p) clear(p);
    parts_.resize(first);
  }
  /// Gives the arrays of a batch, whose lengths are known, one piece of memory.
  void allocate(const Exec& exec, StoredBatch& batch) {
    const std::shared_ptr<std::byte> memory = pool_.take(exec, batch.bytes());
    const std::byte* at = memory.get();
    for (ByteArray& array : batch.arrays) {
      array.data = at;
      at += StoredBatch::rounded(array.bytes);
    }
    batch.owner = memory;
  }
  /// Appends a batch to a part.
  void append(std::size_t part, StoredBatch batch) {
    parts_[part].rows += batch.rows;
    parts_[part].bytes += batch.bytes();
    parts_[part].in_memory += batch.bytes();
    parts_[part].pieces.push_back({std::move(batch)});
  }
  /// Rows and bytes of a part, and its batches.
  [[nodiscard]] std::uint64_t rows(std::size_t part) const { return parts_[part].rows; }
  [[nodiscard]] std::uint64_t bytes(std::size_t part) const { return parts_[part].bytes; }
  [[nodiscard]] std::uint64_t bytes_in_memory(std::size_t part) const {
    return parts_[part].in_memory;
  }
  [[nodiscard]] std::size_t batches(std::size_t part) const { return parts_[part].pieces.size(); }
  [[nodiscard]] std::uint64_t batch_bytes(std::size_t part, std::size_t batch) const {
    return parts_[part].pieces[batch].batch.bytes();
  }
  [[nodiscard]] std::uint64_t batch_rows(std::size_t part, std::size_t batch) const {
    return parts_[part].pieces[batch].batch.rows;
  }
  /// Whether no batch of it has left the memory of the execution space.
  [[nodiscard]] bool is_resident(std::size_t part) const { return !parts_[part].spilled; }
  /// Bytes that were moved to the host, and to the file, in all.
  [[nodiscard]] std::uint64_t host_bytes() const { return host_bytes_; }
  [[nodiscard]] std::uint64_t file_bytes() const { return file_bytes_; }

  /// Moves batches to lower tiers until the account has `bytes` bytes left. Returns whether it has.
  /// Throws CapacityError where the lower tiers are full, and what the file throws.
  bool make_room(const Exec& exec, std::uint64_t bytes) {
    while (account_.available(MemoryTier::device) < bytes) {
      const std::optional<std::size_t> part = next_to_spill();
      if (!part) return false;
      spill(exec, parts_[*part]);
    }
    return true;
  }

  /// Calls `use(batch)` for the batches `first` to `last` - 1 of a part, in their order. They are
  /// read ahead, and each is in memory while `use` has it, which may keep it. With `keeps` they
  /// stay in the store too. Makes room for each. Throws as `make_room`, and CapacityError where
  /// that does not suffice.
  template <class Use>
  void read(const Exec& exec, std::size_t part, std::size_t first, std::size_t last, bool keeps,
            const Use& use) {
    const Reading scope(*this, part);
    ReadAhead ahead{first, last};
    for (std::size_t p = first; p < last; ++p) {
      use(keeps ? copy_of(exec, part, p, ahead) : taken(exec, part, p, ahead));
    }
  }
  /// All batches of a part, which is empty then.
  template <class Use>
  void take_each(const Exec& exec, std::size_t part, const Use& use) {
    read(exec, part, 0, batches(part), false, use);
    clear(part);
  }
  /// Adds all batches of a part to `batches`, with room made for them at once.
  void take_batches(const Exec& exec, std::size_t part, std::vector<StoredBatch>& batches) {
    make_room(exec, bytes(part) - bytes_in_memory(part));
    take_each(exec, part, [&](StoredBatch batch) { batches.push_back(std::move(batch)); });
  }
  /// All batches of a part as one, which is empty then. Each array becomes those of the batches,
  /// one behind another; they are read straight to their places. Throws as `read`.
  [[nodiscard]] StoredBatch take_as_one(const Exec& exec, std::size_t part) {
    const Reading scope(*this, part);
    StoredBatch whole = whole_of(exec, part);
    std::vector<std::byte*> places = places_of(whole);
    std::vector<PlacedExtent> in_file;
    for (const Piece& piece : parts_[part].pieces) {
      copy_piece(exec, piece, places, in_file);
      for (std::size_t a = 0; a < places.size(); ++a) places[a] += piece.batch.arrays[a].bytes;
    }
    if (!in_file.empty()) {
      Reader reader(*file_);
      reader.ask(exec, in_file);
      reader.take(exec, in_file);
    }
    exec.fence("hashmill::spill: rows that were read are handed over");
    clear(part);
    return whole;
  }
  /// Empties a part.
  void clear(std::size_t part) {
    for (Piece& piece : parts_[part].pieces) release(piece);
    parts_[part] = {};
  }

 private:
  using Reader = typename File::Reader;
  struct InMemory {};
  struct OnHost {
    std::shared_ptr<std::byte> bytes;
    MemoryAccount::Grant grant;
  };
  struct InFile {
    std::vector<FileExtent> extents;
  };
  /// A batch. Where it is not in memory, its arrays have lengths only.
  struct Piece {
    StoredBatch batch;
    std::variant<InMemory, OnHost, InFile> place{};
  };
  struct Part {
    std::deque<Piece> pieces;
    std::uint64_t rows = 0, bytes = 0, in_memory = 0;
    bool spilled = false;
  };
  /// While a part is read, its batches stay where they are.
  struct Reading {
    Reading(PartStore& its_store, std::size_t part) : store(its_store) { store.reading_ = part; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;
    ~Reading() { store.reading_.reset(); }
    PartStore& store;
  };

  [[nodiscard]] std::optional<std::size_t> next_to_spill() const {
    std::optional<std::size_t> most, highest;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Part& part = parts_[p];
      if (part.in_memory == 0 || reading_ == p) continue;
      if (!part.spilled) {
        highest = p;
      } else if (!most || part.in_memory > parts_[*most].in_memory) {
        most = p;
      }
    }
    const std::uint64_t worth_reading = account_.limit(MemoryTier::device) / 1024;
    const bool is_worth = most && parts_[*most].in_memory >= worth_reading;
    return highest && !is_worth ? highest : most;
  }
  void spill(const Exec& exec, Part& part) {
    part.spilled = true;
    for (Piece& piece : part.pieces) {
      if (!std::holds_alternative<InMemory>(piece.place)) continue;
      const std::uint64_t bytes = piece.batch.bytes();
      account_.available(MemoryTier::host) >= bytes&& bytes > 0 ? move_to_host(exec, piece, bytes)
                                                                : move_to_file(exec, piece);
      part.in_memory -= bytes;
    }
  }
  void move_to_host(const Exec& exec, Piece& piece, std::uint64_t bytes) {
    OnHost host{{}, account_.take(MemoryTier::host, bytes, "rows")};
    host.bytes = host_pool_.take(exec, bytes);
    std::byte* to = host.bytes.get();
    for (const ByteArray& array : piece.batch.arrays) {
      copy_bytes<typename File::HostMemory, Memory>(exec, to, array.data, array.bytes);
      to += StoredBatch::rounded(array.bytes);
    }
    exec.fence("hashmill::spill: the memory of rows is freed");
    free_memory(piece);
    piece.place = std::move(host);
    host_bytes_ += bytes;
  }
  void move_to_file(const Exec& exec, Piece& piece) {
    if (!file_) {
      const std::uint64_t block = FileBlocks::bytes_within(account_, File::way_tier);
      static_cast<void>(account_.take(MemoryTier::file, block, "a file"));
      file_.emplace(account_, directory_);
    }
    InFile in_file;
    file_->write(exec, {piece.batch.rows, piece.batch.arrays, piece.batch.owner, {}},
                 in_file.extents);
    for (const ByteArray& array : piece.batch.arrays) file_bytes_ += array.bytes;
    free_memory(piece);
    piece.place = std::move(in_file);
  }
  /// Leaves a piece with the lengths of its arrays.
  static void free_memory(Piece& piece) {
    for (ByteArray& array : piece.batch.arrays) array.data = nullptr;
    piece.batch.grant = {};  // first, so that there is room to keep the memory
    piece.batch.owner.reset();
  }

  /// The batches of a part, from `asked` to `last` - 1, that were not yet asked of the file, and
  /// those that were. Where the file reads in place these have memory already.
  struct ReadAhead {
    std::size_t asked, last;
    std::deque<StoredBatch> batches{};
    std::uint64_t bytes = 0;
    std::optional<Reader> reader{};
  };
  /// Asks the file for batches up to batch `p`, and for further ones while they are few.
  void ask_ahead(const Exec& exec, std::size_t part, std::size_t p, ReadAhead& ahead) {
    for (; ahead.asked < ahead.last; ++ahead.asked) {
      const Piece& piece = parts_[part].pieces[ahead.asked];
      const auto* const in_file = std::get_if<InFile>(&piece.place);
      if (in_file == nullptr) continue;
      const std::uint64_t bytes = piece.batch.bytes();
      if (ahead.asked > p && ahead.bytes + bytes > way_.bytes() / 2) break;
      if (!ahead.reader) ahead.reader.emplace(*file_);
      StoredBatch batch{piece.batch.rows, piece.batch.arrays, nullptr, {}};
      if constexpr (File::is_direct) allocate(exec, batch);
      ahead.reader->ask(exec, placed_extents(batch, in_file->extents));
      ahead.batches.push_back(std::move(batch));
      ahead.bytes += bytes;
    }
  }
  /// A batch that is also kept.
  [[nodiscard]] StoredBatch copy_of(const Exec& exec, std::size_t part, std::size_t p,
                                    ReadAhead& ahead) {
    const Piece& piece = parts_[part].pieces[p];
    if (!std::holds_alternative<InMemory>(piece.place)) return loaded(exec, part, p, ahead);
    return {piece.batch.rows, piece.batch.arrays, piece.batch.owner, {}};
  }
  /// A batch that is not kept.
  [[nodiscard]] StoredBatch taken(const Exec& exec, std::size_t part, std::size_t p,
                                  ReadAhead& ahead) {
    Part& from = parts_[part];
    Piece& piece = from.pieces[p];
    const std::uint64_t bytes = piece.batch.bytes();
    const bool in_memory = std::holds_alternative<InMemory>(piece.place);
    StoredBatch batch = in_memory ? std::move(piece.batch) : loaded(exec, part, p, ahead);
    if (in_memory) from.in_memory -= bytes;
    release(piece);
    from.rows -= batch.rows;
    from.bytes -= bytes;
    piece = {};
    return batch;
  }
  /// A batch in memory of its own.
  [[nodiscard]] StoredBatch loaded(const Exec& exec, std::size_t part, std::size_t p,
                                   ReadAhead& ahead) {
    const Piece& piece = parts_[part].pieces[p];
    const std::uint64_t bytes = piece.batch.bytes();
    make_room(exec, bytes);
    MemoryAccount::Grant grant = account_.take(MemoryTier::device, bytes, "rows that are read");
    if (const auto* const in_file = std::get_if<InFile>(&piece.place)) {
      ask_ahead(exec, part, p, ahead);
      StoredBatch batch = std::move(ahead.batches.front());
      ahead.batches.pop_front();
      ahead.bytes -= bytes;
      batch.grant = std::move(grant);
      if constexpr (!File::is_direct) allocate(exec, batch);
      ahead.reader->take(exec, placed_extents(batch, in_file->extents));
      return batch;
    }
    StoredBatch batch{piece.batch.rows, piece.batch.arrays, nullptr, std::move(grant)};
    allocate(exec, batch);
    std::vector<PlacedExtent> none;
    copy_piece(exec, piece, places_of(batch), none);
    exec.fence("hashmill::spill: rows that were read are handed over");
    return batch;
  }
  /// Memory for all batches of a part as one.
  [[nodiscard]] StoredBatch whole_of(const Exec& exec, std::size_t part) {
    StoredBatch whole;
    for (const Piece& piece : parts_[part].pieces) {
      whole.rows += piece.batch.rows;
      whole.arrays.resize(piece.batch.arrays.size(), {nullptr, 0});
      for (std::size_t a = 0; a < whole.arrays.size(); ++a) {
        whole.arrays[a].bytes += piece.batch.arrays[a].bytes;
      }
    }
    make_room(exec, whole.bytes());
    whole.grant = account_.take(MemoryTier::device, whole.bytes(), "rows that are read");
    allocate(exec, whole);
    return whole;
  }
  /// Copies the arrays of a batch to their places, or adds them to what must be read.
  void copy_piece(const Exec& exec, const Piece& piece, const std::vector<std::byte*>& places,
                  std::vector<PlacedExtent>& to_read) {
    const auto& arrays = piece.batch.arrays;
    if (const auto* const in_file = std::get_if<InFile>(&piece.place)) {
      return add_placed_extents(arrays, in_file->extents, places, to_read);
    }
    const auto* const host = std::get_if<OnHost>(&piece.place);
    const std::byte* from = host != nullptr ? host->bytes.get() : nullptr;
    for (std::size_t a = 0; a < arrays.size(); ++a) {
      if (host == nullptr) {
        copy_bytes<Memory, Memory>(exec, places[a], arrays[a].data, arrays[a].bytes);
      } else {
        copy_bytes<Memory, typename File::HostMemory>(exec, places[a], from, arrays[a].bytes);
        from += StoredBatch::rounded(arrays[a].bytes);
      }
    }
  }
  void release(const Piece& piece) {
    if (const InFile* const in_file = std::get_if<InFile>(&piece.place)) {
      file_->release(in_file->extents);
    }
  }

  MemoryAccount& account_;
  std::string directory_;
  BatchPool<Memory> pool_;
  BatchPool<typename File::HostMemory> host_pool_;
  MemoryAccount::Grant way_;  // memory for batches on their way to the file and back
  std::optional<File> file_;
  std::deque<Part> parts_;
  std::optional<std::size_t> reading_;
  std::uint64_t host_bytes_ = 0, file_bytes_ = 0;
};

}  // namespace hashmill::detail
