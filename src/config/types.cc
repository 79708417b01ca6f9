#include "config/parts.h"

namespace postrider::config {

void MakeTypes(Draft& draft, Types& types) {
  types.decimal = draft.Choice<DecimalMode>(
      "decimal.handling.mode",
      {{"precise", DecimalMode::kPrecise}, {"string", DecimalMode::kString}, {"double", DecimalMode::kDouble}});
  types.time = draft.Choice<TimePrecision>("time.precision.mode",
                                           {{"adaptive", TimePrecision::kAdaptive},
                                            {"adaptive_time_microseconds", TimePrecision::kAdaptiveTimeMicroseconds},
                                            {"connect", TimePrecision::kConnect},
                                            {"isostring", TimePrecision::kIsoString},
                                            {"microseconds", TimePrecision::kMicroseconds},
                                            {"nanoseconds", TimePrecision::kNanoseconds}});
  types.binary = draft.Choice<BinaryMode>("binary.handling.mode", {{"bytes", BinaryMode::kBytes},
                                                                   {"base64", BinaryMode::kBase64},
                                                                   {"base64-url-safe", BinaryMode::kBase64UrlSafe},
                                                                   {"hex", BinaryMode::kHex}});
  types.interval = draft.Choice<IntervalMode>("interval.handling.mode",
                                              {{"numeric", IntervalMode::kNumeric}, {"string", IntervalMode::kString}});
  types.hstore =
      draft.Choice<HstoreMode>("hstore.handling.mode", {{"json", HstoreMode::kJson}, {"map", HstoreMode::kMap}});
  types.money_fraction_digits = static_cast<int>(draft.Number("money.fraction.digits"));
  types.include_unknown_datatypes = draft.Flag("include.unknown.datatypes");
}

}  // namespace postrider::config
