#include <optional>
#include <string>
#include <string_view>

#include "config/classes.h"
#include "config/parts.h"
#include "config/text.h"

namespace postrider::config {
namespace {

constexpr std::string_view kOptions[] = {"schemas.enable",
                                         "decimal.format",
                                         "replace.null.with.default",
                                         "delegate.converter.type",
                                         "delegate.converter.type.schemas.enable",
                                         "converter.encoding"};

bool IsConnectorFile(const Settings& settings, const Origin& origin) {
  const Setting* connector = settings.Find("connector.class");
  return connector != nullptr && connector->origin.kind == Origin::Kind::kFile && connector->origin.file == origin.file;
}

// Connect reads a converter's options from where its class is named: the worker's converter keeps the worker's options,
// a connector's takes none of the worker's. So with `value.converter` in one file and its options in another, the
// options count only where they come later and not from a connector's file.
bool Belongs(const Settings& settings, const Setting& converter, const Setting& option) {
  if (option.origin.kind != Origin::Kind::kFile) return true;
  if (converter.origin.kind != Origin::Kind::kFile) return false;
  if (option.origin.file == converter.origin.file) return true;
  if (option.origin.file < converter.origin.file) return false;
  return !IsConnectorFile(settings, option.origin);
}

void DropForeignOptions(Draft& draft, const std::string& key) {
  const Setting* converter = draft.settings().Find(key);
  for (const std::string_view name : kOptions) {
    const std::string option_key = Cat(key, ".", name);
    Setting* option = draft.settings().Find(option_key);
    if (option == nullptr || option->refused || converter == nullptr || Belongs(draft.settings(), *converter, *option))
      continue;
    const std::string why = Cat("does not count, as in Connect: the converter is named in ",
                                converter->origin.ToString(), " and takes its options from there");
    draft.WarnOf(option_key, why);
    draft.SetOutcome(option_key, KeyOutcome::kMeaningless, why);
    option->refused = true;
  }
}

bool HasDelegate(ConverterKind kind) {
  return kind == ConverterKind::kBinaryData || kind == ConverterKind::kOnlyByteArray;
}

// Options of another kind of converter are left lying in many files.
void MarkMeaningless(Draft& draft, const std::string& key, ConverterKind kind) {
  const auto mark = [&draft, &key](std::string_view name, std::string_view reader) {
    const std::string option = Cat(key, ".", name);
    if (draft.Find(option) != nullptr)
      draft.SetOutcome(option, KeyOutcome::kMeaningless, Cat("only ", reader, " reads it"));
  };
  if (kind != ConverterKind::kJson) {
    for (const std::string_view name : {"schemas.enable", "decimal.format", "replace.null.with.default"})
      mark(name, "JsonConverter");
  }
  if (!HasDelegate(kind)) {
    for (const std::string_view name : {"delegate.converter.type", "delegate.converter.type.schemas.enable"})
      mark(name, "BinaryDataConverter");
  }
}

std::optional<ConverterKind> KindOf(Draft& draft, const std::string& key, bool is_header) {
  const std::string name = draft.Text(key);
  const ClassSpec* spec = FindClass(ClassKind::kConverter, name);
  if (spec == nullptr) {
    draft.Refuse(
        key,
        "a converter that is not supported; StringConverter, JsonConverter, ByteArrayConverter, BinaryDataConverter "
        "and Connect's number converters are, with their full names");
    return std::nullopt;
  }
  if (spec->outcome == KeyOutcome::kRefused) {
    draft.RefuseKey(key, Cat("is ", spec->name, ", which is not supported: ", spec->note));
    return std::nullopt;
  }
  const ConverterKind kind = ConverterKindOf(*spec);
  if (kind == ConverterKind::kSimpleHeader && !is_header) {
    draft.RefuseKey(key, Cat("is ", spec->name, ", which converts headers only"));
    return std::nullopt;
  }
  return kind;
}

void MakeConverter(Draft& draft, const std::string& key, bool is_header, Converter& converter) {
  DropForeignOptions(draft, key);
  const std::optional<ConverterKind> kind = KindOf(draft, key, is_header);
  if (!kind) return;
  converter.kind = *kind;
  const auto option = [&key](std::string_view name) { return Cat(key, ".", name); };
  MarkMeaningless(draft, key, *kind);
  converter.schemas_enable = draft.Flag(option("schemas.enable"));
  converter.decimal_numeric = draft.Choice<bool>(option("decimal.format"), {{"BASE64", false}, {"NUMERIC", true}});
  converter.replace_null_with_default = draft.Flag(option("replace.null.with.default"));
  if (!HasDelegate(*kind) || !draft.Has(option("delegate.converter.type"))) return;
  converter.delegate = KindOf(draft, option("delegate.converter.type"), is_header);
  converter.delegate_schemas_enable = draft.Flag(option("delegate.converter.type.schemas.enable"));
}

}  // namespace

void MakeConverters(Draft& draft, Converters& converters) {
  constexpr std::string_view kString = "org.apache.kafka.connect.storage.StringConverter";
  if (draft.settings().Find("value.converter") == nullptr) {
    draft.RefuseAll(
        Cat("value.converter is missing: a connector's file without its worker's names none, because the worker's "
            "applies, and guessing would change "
            "every byte. Give the worker's file as well, or set value.converter=",
            kString, " for the payload byte for byte"));
  } else {
    MakeConverter(draft, "value.converter", false, converters.value);
  }
  if (draft.settings().Find("key.converter") == nullptr) {
    draft.Warn(
        Cat("key.converter is missing: keys are text. A worker's default applies to keys too, and the key's bytes "
            "choose the "
            "partition: give the worker's file as well, or set key.converter=",
            kString));
  }
  MakeConverter(draft, "key.converter", false, converters.key);
  MakeConverter(draft, "header.converter", true, converters.header);
}

}  // namespace postrider::config
