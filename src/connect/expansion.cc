#include "connect/expansion.h"

#include "connect/inference.h"

namespace postrider::connect {

std::optional<Expanded> Expansion::Expand(std::string_view text, Arena& arena) {
  const JsonNode* const root = document_.Parse(text, arena);
  if (root == nullptr) return std::nullopt;
  if (root->kind == JsonNode::Kind::kArray && root->elements().empty()) return Expanded{.value = Value::String(text)};
  path_ = root_name_;
  Inference inference(path_, nulls_as_optional_bytes_, arena);
  const Schema* const schema = inference.SchemaOf(*root);
  if (schema == nullptr || inference.failed()) return std::nullopt;
  Expanded expanded{.schema = schema};
  if (!SetValue(*root, *schema, arena, expanded.value)) return std::nullopt;
  return expanded;
}

}  // namespace postrider::connect
