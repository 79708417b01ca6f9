// Values as text: Object.toString() of their Java class, and Connect's text form for headers.
//
// Append to `out`. `value` is not null. Pure. Tested by tests/unit/connect/java_string_test.cc.
#pragma once

#include "connect/buffer.h"
#include "connect/schema.h"

namespace postrider::connect {

// toString(), as StringConverter takes it: Struct{a=1,b=x}, [a, b], {k=v}, java.nio.HeapByteBuffer[pos=0 lim=3 cap=3].
// A byte[] prints its address in Java ("[B@1b2c3d"), which no one can repeat: here it is its Base64.
void AppendJavaString(const Schema& schema, const Value& value, Buffer& out);

// Values.convertToString, as SimpleHeaderConverter takes it: texts raw at the top and quoted within, bytes as Base64.
void AppendHeaderText(const Schema& schema, const Value& value, Buffer& out);

}  // namespace postrider::connect
