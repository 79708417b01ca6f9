// Decoding and walking a well-formed message allocates nothing: this program counts every operator new.
#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "bytes.h"
#include "decoder/decoder.h"

namespace {
size_t allocations = 0;
}

// Not inlined: GCC would see free() of what it takes for the standard operator's memory, and warn.
[[gnu::noinline]] void* operator new(size_t size) {
  ++allocations;
  if (void* memory = std::malloc(size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, size_t) noexcept {
  std::free(memory);
}

namespace postrider::decoder {
namespace {

TEST(Decoder, AllocatesNothingForWellFormedMessages) {
  const std::string messages[] = {
      Bytes('B').Int64(1).Int64(2).Int32(3).str(),
      Bytes('Y').Int32(16390).String("a schema with a rather long name").String("a type with a rather long name").str(),
      Bytes('R').Int32(1).String("public").String("outbox").Char('d').Int16(1).Int8(1).String("id").Int64(0).str(),
      Bytes('I').Int32(1).Char('N').Int16(3).Text(std::string(5000, 'x')).Null().Binary("ab").str(),
      Bytes('U').Int32(1).Char('O').Int16(1).Text("a").Char('N').Int16(1).Unchanged().str(),
      Bytes('D').Int32(1).Char('K').Int16(1).Text("a").str(),
      Bytes('T').Int32(1).Int8(0).Int32(1).str(),
      Bytes('M').Int8(0).Int64(1).String("prefix").Int32(2).Raw("ab").str(),
      Bytes('C').Int8(0).Int64(1).Int64(2).Int64(3).str(),
      Bytes('S').Int32(1).Int8(1).str(),
      Bytes('E').str(),
      Bytes('c').Int32(1).Int8(0).Int64(1).Int64(2).Int64(3).str(),
      Bytes('A').Int32(1).Int32(2).str(),
      Bytes('b').Int64(1).Int64(2).Int64(3).Int32(4).String("a gid that is longer than any small string").str(),
  };
  Decoder decoder;
  std::vector<Value> values;
  std::vector<Column> columns;
  values.reserve(8);
  columns.reserve(8);

  const size_t before = allocations;
  size_t decoded = 0;
  for (const std::string& bytes : messages) {
    const auto message = decoder.Decode(bytes);
    if (!message.ok()) break;
    if (const auto* insert = std::get_if<Insert>(&*message)) insert->new_row.CopyTo(values);
    if (const auto* relation = std::get_if<Relation>(&*message)) relation->columns.CopyTo(columns);
    ++decoded;
  }
  const size_t counted = allocations - before;
  EXPECT_EQ(decoded, std::size(messages));
  EXPECT_EQ(counted, 0u);

  const auto failed = decoder.Decode("Z");
  EXPECT_FALSE(failed.ok());
  EXPECT_GT(allocations, before) << "an error has a text, so the counter must have seen something";
}

}  // namespace
}  // namespace postrider::decoder
