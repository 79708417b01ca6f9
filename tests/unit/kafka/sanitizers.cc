// librdkafka is not built with ThreadSanitizer, which therefore does not see the atomic counters that order its
// destructions.
#if defined(__SANITIZE_THREAD__)
extern "C" const char* __tsan_default_suppressions();
extern "C" const char* __tsan_default_suppressions() {
  return "race:rwlock_destroy\nrace:mtx_destroy\nrace:cnd_destroy\nrace:rd_free\nrace:rd_segment_destroy\n";
}
#endif
