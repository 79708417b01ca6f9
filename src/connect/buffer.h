// Bytes being written: a std::string that costs less to append to.
//
// Grows by doubling and keeps its memory. Views of it live until the next call that writes. One thread at a time.
// Tested by tests/unit/connect/buffer_test.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string_view>

namespace postrider::connect {

class Buffer {
 public:
  static constexpr size_t kKeptBytes = 1024 * 1024;  // one large event must not hold its memory for ever

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  std::string_view view() const { return {data_.get(), size_}; }
  char back() const { return data_[size_ - 1]; }

  void push_back(char c) {
    if (size_ == capacity_) [[unlikely]] {
      Grow(1);
    }
    data_[size_++] = c;
  }
  Buffer& append(std::string_view text) {
    if (capacity_ - size_ < text.size()) [[unlikely]] {
      Grow(text.size());
    }
    std::copy(text.begin(), text.end(), data_.get() + size_);
    size_ += text.size();
    return *this;
  }
  Buffer& append(size_t count, char c) {
    char* const end = Reserve(count);
    std::fill_n(end, count, c);
    size_ += count;
    return *this;
  }

  // Room for `bytes` more, to be written directly; Commit(end) then takes what was written.
  char* Reserve(size_t bytes) {
    if (capacity_ - size_ < bytes) [[unlikely]] {
      Grow(bytes);
    }
    return data_.get() + size_;
  }
  void Commit(const char* end) { size_ = static_cast<size_t>(end - data_.get()); }

  // Down to `size` bytes, which is not above size().
  void Truncate(size_t size) { size_ = size; }
  void pop_back() { --size_; }
  // Empty, and without the memory of a large event.
  void Restart() {
    size_ = 0;
    if (capacity_ <= kKeptBytes) return;
    data_.reset();
    capacity_ = 0;
  }

 private:
  void Grow(size_t bytes) {
    const size_t capacity = std::max({capacity_ * 2, size_ + bytes, size_t{64}});
    auto data = std::make_unique<char[]>(capacity);
    std::copy_n(data_.get(), size_, data.get());
    data_ = std::move(data);
    capacity_ = capacity;
  }

  std::unique_ptr<char[]> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace postrider::connect
