// Memory for one event, or for one plan: allocated in order, given back all at once.
//
// Holds trivially destructible values only. What it hands out lives until Reset() or its end. Reset() keeps the blocks,
// up to kKeptBytes, so that a reused arena stops allocating. One thread at a time. Tested by
// tests/unit/connect/arena_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "connect/buffer.h"

namespace postrider::connect {

class Arena {
 public:
  static constexpr size_t kBlockBytes = 16 * 1024;
  static constexpr size_t kKeptBytes = 1024 * 1024;  // one large event must not hold its memory for ever

  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // `size` values, each made by its default constructor.
  template <typename T>
  std::span<T> NewSpan(size_t size) {
    static_assert(std::is_trivially_destructible_v<T>);
    T* first = static_cast<T*>(Allocate(size * sizeof(T)));
    std::uninitialized_default_construct_n(first, size);
    return {first, size};
  }
  template <typename T>
  T* New(const T& value) {
    std::span<T> made = NewSpan<T>(1);
    made[0] = value;
    return made.data();
  }
  template <typename T>
  std::span<const T> CopySpan(std::span<const T> values) {
    std::span<T> made = NewSpan<T>(values.size());
    std::copy(values.begin(), values.end(), made.begin());
    return made;
  }
  std::span<char> NewBytes(size_t size) { return {static_cast<char*>(Allocate(size)), size}; }
  std::string_view Copy(std::string_view text) {
    std::span<char> made = NewBytes(text.size());
    std::copy(text.begin(), text.end(), made.begin());
    return {made.data(), made.size()};
  }

  // What `write` appends to an empty buffer. Not to be nested.
  template <typename Write>
  std::string_view Compose(Write write) {
    scratch_.Restart();
    write(scratch_);
    return Copy(scratch_.view());
  }

  void Reset() {
    if (reserved_bytes_ > kKeptBytes) {
      blocks_.clear();
      reserved_bytes_ = 0;
    }
    current_ = 0;
    used_ = 0;
  }

 private:
  struct Block {
    std::unique_ptr<std::byte[]> bytes;
    size_t size;
  };

  void* Allocate(size_t size) {
    constexpr size_t kAlignment = alignof(std::max_align_t);
    size = (size + kAlignment - 1) / kAlignment * kAlignment;
    while (current_ < blocks_.size() && blocks_[current_].size - used_ < size) {
      ++current_;
      used_ = 0;
    }
    if (current_ == blocks_.size()) [[unlikely]] {
      const size_t block_size = std::max(kBlockBytes, size);
      blocks_.push_back({std::make_unique<std::byte[]>(block_size), block_size});
      reserved_bytes_ += block_size;
    }
    void* result = blocks_[current_].bytes.get() + used_;
    used_ += size;
    return result;
  }

  std::vector<Block> blocks_;
  size_t current_ = 0;  // the block being filled
  size_t used_ = 0;     // bytes of it
  size_t reserved_bytes_ = 0;
  Buffer scratch_;
};

}  // namespace postrider::connect
