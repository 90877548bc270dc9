#include "worker/model/config_rope.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/model/config_fields.h"

namespace switchboard::model {
namespace {

constexpr double kDefaultTheta = 10000.0, kMaxTheta = 1e12;
constexpr double kMaxFactor = 1e6;

// "rope_type", else its old name; "default" where neither is given.
absl::StatusOr<std::string> TypeOf(const JsonObject& rope) {
  for (const absl::string_view key : {"rope_type", "type"}) {
    const Json* type = FindPresent(rope, key);
    if (type == nullptr) continue;
    if (!type->is_string()) {
      return BadConfig(absl::StrCat("rope type ", ConfigValueText(*type), " is not a name"));
    }
    return std::string(ToAbsl(type->as_string()));
  }
  return std::string("default");
}

absl::Status ReadLlama3(ConfigFields* rope, RopeScaling* scaling) {
  scaling->factor = rope->Number("factor", 1.0, kMaxFactor);
  scaling->low_factor = rope->Number("low_freq_factor", 1e-6, kMaxFactor);
  scaling->high_factor = rope->Number("high_freq_factor", 1e-6, kMaxFactor);
  scaling->original_length = rope->Int("original_max_position_embeddings", 1, kMaxPositions);
  RETURN_IF_ERROR(rope->status());
  if (scaling->low_factor >= scaling->high_factor) {
    return BadConfig(absl::StrCat("rope: low_freq_factor ", scaling->low_factor,
                                  " must be below high_freq_factor ", scaling->high_factor));
  }
  return absl::OkStatus();
}

absl::Status ReadDivisors(const JsonObject& rope, int pairs, RopeScaling* scaling) {
  const Json* values = FindPresent(rope, "divisors");
  if (values == nullptr || !values->is_array() ||
      values->as_array().size() != static_cast<size_t>(pairs)) {
    return BadConfig(absl::StrCat("rope: divisors is not a list of ", pairs, " numbers"));
  }
  for (const Json& value : values->as_array()) {
    const double divisor = value.is_number() ? value.to_number<double>() : 0;
    if (!(divisor >= 1e-6 && divisor <= kMaxFactor)) {
      return BadConfig(absl::StrCat("rope: divisors holds ", ConfigValueText(value)));
    }
    scaling->divisors.push_back(divisor);
  }
  return absl::OkStatus();
}

absl::StatusOr<RopeScaling> ParseScaling(const JsonObject& rope, int pairs) {
  ASSIGN_OR_RETURN(const std::string type, TypeOf(rope));
  ConfigFields fields(&rope, "rope: ");
  RopeScaling scaling;
  if (type == "default") return scaling;
  if (type == "linear") {
    scaling.kind = RopeScaling::Kind::kLinear;
    scaling.factor = fields.Number("factor", 1e-6, kMaxFactor);
    RETURN_IF_ERROR(fields.status());
  } else if (type == "llama3") {
    scaling.kind = RopeScaling::Kind::kLlama3;
    RETURN_IF_ERROR(ReadLlama3(&fields, &scaling));
  } else if (type == "divisors") {
    scaling.kind = RopeScaling::Kind::kDivisors;
    RETURN_IF_ERROR(ReadDivisors(rope, pairs, &scaling));
  } else {
    return BadConfig(absl::StrCat("rope type ", ConfigValueText(Json(ToBoost(type))),
                                  " is not supported; default, linear and llama3 are"));
  }
  return scaling;
}

}  // namespace

absl::StatusOr<JsonObject> RopeObject(const JsonObject& text) {
  for (const absl::string_view key : {"rope_parameters", "rope_scaling"}) {
    if (FindPresent(text, key) == nullptr) continue;
    ASSIGN_OR_RETURN(const JsonObject* rope, ConfigObject(text, key));
    for (const auto& [name, value] : *rope) {
      if (!value.is_object()) continue;
      return BadConfig(absl::StrCat(key, " has an object for ", ConfigValueText(Json(name)),
                                    ": rotations that differ between layers are not supported"));
    }
    return *rope;
  }
  return JsonObject();
}

absl::StatusOr<RotaryConfig> ParseRotary(const JsonObject& text, int head_dim, double part,
                                         RotaryPairs layout) {
  ASSIGN_OR_RETURN(const JsonObject rope, RopeObject(text));
  ConfigFields in_rope(&rope, "rope: "), in_text(&text, "");
  const auto number = [&](absl::string_view key, double lowest, double highest, double absent) {
    return (in_rope.Has(key) ? in_rope : in_text).Number(key, lowest, highest, absent);
  };
  RotaryConfig rotary;
  rotary.layout = layout;
  rotary.theta = number("rope_theta", 1.0, kMaxTheta, kDefaultTheta);
  part = number("partial_rotary_factor", 1e-3, 1.0, part);
  RETURN_IF_ERROR(in_rope.status());
  RETURN_IF_ERROR(in_text.status());
  // A quotient of two whole numbers, such as 80/96, must give the whole number back.
  rotary.pairs = static_cast<int>(head_dim * part + 1e-6) / 2;
  if (rotary.pairs < 1) {
    return BadConfig(absl::StrCat("partial_rotary_factor ", part, " of head_dim ", head_dim,
                                  " leaves no pair to rotate"));
  }
  rotary.sections = {rotary.pairs, 0, 0};
  ASSIGN_OR_RETURN(rotary.scaling, ParseScaling(rope, rotary.pairs));
  return rotary;
}

}  // namespace switchboard::model
