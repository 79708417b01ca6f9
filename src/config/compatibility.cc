#include "config/compatibility.h"

#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "config/classes.h"
#include "config/keys.h"
#include "config/report.h"
#include "config/text.h"
#include "config/validate.h"

namespace postrider::config {
namespace {

constexpr std::string_view kHead = R"(# Compatibility

**The one difference by default**: Debezium 3.2 and later put headers named `__debezium.context.*` before an event's own. Postrider leaves
them out unless `extended.headers.enabled=true` is written in the configuration. Everything else that a consumer sees is the same, byte for byte.

This file lists every key of Debezium's PostgreSQL connector, its Event Router, Kafka Connect, the converters, Debezium Server and Kafka's
producer (Debezium 3.6, Kafka 4.3), and what becomes of it. It is generated from `src/config/keys*.cc` and `src/config/classes.cc` by
`scripts/compatibility`; a test fails when it differs.

- **honoured**: it does what it does in Debezium, except for what the note says.
- **meaningless**: accepted without effect, because there is nothing here that it could change.
- **refused**: the start ends with a sentence that names it, because going on would change records or lose some.

A key that is in no table is unknown: a warning names the nearest one. `postrider config FILE...` prints what became of each key of a
configuration. A value of `-` under *Default* means that there is none.

Files: Java `.properties`, Connect's JSON (the bodies of POST and PUT, the answer of GET) and Debezium Server's `application.properties`,
as many as wanted, later ones winning; then `POSTRIDER_*` variables, then `--set`. A converter's options count where its class is named, as in
Connect: a connector that names `value.converter` takes none of its worker's `value.converter.*`. `${env:NAME}`, `${file:PATH:KEY}` and
`${directory:PATH:FILE}` are resolved; what cannot be resolved is an error, where Connect would leave the text as it is.

What differs where a key is absent: `plugin.name` is pgoutput (Debezium: decoderbufs), `publication.autocreate.mode` is filtered (Debezium:
all_tables), and a missing `value.converter` is refused, since only the worker knows it.

What Debezium itself does not reproduce from one run or JDK to the next is settled here:
- StringConverter on byte arrays and on arrays of arrays writes a Java object's address (`[B@1f2a`): here Base64, or the inner array's text.
- Objects of unlike shape in one array of an expanded payload: their fields come in order of first appearance, the first nested shape wins.
- A `name` column, and a date BC or infinite, differ between Debezium's snapshot and its stream: here both are as in the stream.
- Doubles are spelled as from JDK 19 on, in the shortest form.
- A record's time of 1970-01-01 00:00:00.000 exactly is written as 00:00:00.001, because librdkafka takes 0 for "now".
)";

constexpr std::pair<Section, std::string_view> kSections[] = {
    {Section::kConnector, "Debezium's PostgreSQL connector"},
    {Section::kRouter, "Event Router"},
    {Section::kConverters, "Converters"},
    {Section::kConnect, "Kafka Connect: connector and worker"},
    {Section::kProducer, "Kafka's producer"},
    {Section::kServer, "Debezium Server"},
    {Section::kOwn, "Postrider's own keys"},
};

// What a chapter says before its table.
std::string_view Preface(Section section) {
  switch (section) {
    case Section::kProducer:
      return "`producer.override.X`, else `producer.X`, else the worker's `bootstrap.servers`. Unprefixed "
             "`security.*`, `sasl.*` and `ssl.*` count "
             "only where no prefixed one is given, with a warning. `librdkafka.X` hands X to librdkafka as it is.\n\n";
    case Section::kServer:
      return "`debezium.source.X` is X, `debezium.transforms.X` is `transforms.X`, `debezium.predicates.X` is "
             "`predicates.X`, "
             "`debezium.sink.kafka.producer.X` is `producer.override.X`, and `debezium.format.*` are the converters, "
             "JsonConverter where nothing is "
             "written. `DEBEZIUM_*` variables mean the same. `${NAME}` and `${NAME:default}` are taken from the "
             "environment or the file; `$$` is a "
             "dollar sign. A record's partition and timestamp, which Debezium Server drops, are honoured.\n\n";
    case Section::kConnector:
    case Section::kRouter:
    case Section::kConnect:
    case Section::kConverters:
    case Section::kOwn:
      return "";
  }
  return "";
}

std::string Cell(std::string_view text) {
  return absl::StrReplaceAll(View(text), {{"|", "\\|"}, {"\n", " "}});
}
std::string Code(std::string_view text) {
  return text.empty() ? "-" : Cat("`", Cell(text), "`");
}

std::string Notes(const KeySpec& spec) {
  std::vector<std::string> notes;
  const bool chosen = spec.type == ValueType::kChoice && spec.choices.size() > 1;
  const bool bounded = spec.type == ValueType::kNumber && spec.max < std::numeric_limits<int32_t>::max();
  if (chosen || bounded) notes.push_back(Allowed(spec));
  if (!spec.note.empty()) notes.push_back(spec.note);
  for (const auto& [value, reason] : spec.not_choices) notes.push_back(Cat("`", value, "` is refused: ", reason));
  if (!spec.librdkafka.empty() && spec.librdkafka != spec.name)
    notes.push_back(Cat("librdkafka's `", spec.librdkafka, "`"));
  return Cell(absl::StrJoin(notes, "; "));
}

std::string SectionTable(Section section) {
  std::string text = "| Key | Default | Here | Notes |\n|---|---|---|---|\n";
  for (const KeySpec& spec : Keys()) {
    if (spec.section != section) continue;
    Append(text, "| ", Code(DocumentedKey(spec)), " | ", Code(spec.fallback), " | ", OutcomeName(spec.outcome), " | ",
           Notes(spec), " |\n");
  }
  return text;
}

std::string ClassTable() {
  std::string text = "| Class | Here | Notes |\n|---|---|---|\n";
  for (const ClassSpec& spec : Classes())
    Append(text, "| `", spec.name, "` | ", OutcomeName(spec.outcome), " | ", Cell(spec.note), " |\n");
  return text;
}

}  // namespace

std::string CompatibilityText() {
  std::string text(kHead);
  for (const auto& [section, title] : kSections)
    Append(text, "\n## ", title, "\n\n", Preface(section), SectionTable(section));
  Append(text, "\n## Classes\n\nAny other class is refused by name: Java classes cannot be loaded.\n\n", ClassTable());
  return text;
}

}  // namespace postrider::config
