#include "worker/model/architecture.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "worker/model/glm4v_model.h"
#include "worker/model/memory_plan.h"
#include "worker/model/text_families.h"

namespace switchboard::model {
namespace {

constexpr char kGlm4v[] = "Glm4vForConditionalGeneration";
constexpr const TextFamily* kTextFamilies[] = {&kLlama, &kMistral, &kQwen2, &kQwen3, &kGlm, &kGlm4};

class TextArchitecture final : public Architecture {
 public:
  TextArchitecture(const TextFamily& family, TextConfig config)
      : family_(family), config_(std::move(config)) {}
  const TextConfig& text() const override { return config_; }
  int64_t ActivationBytes(int64_t tokens, int64_t /*image_tokens*/) const override {
    return TextActivationBytes(config_, tokens);
  }
  void Check(WeightReader* reader) const override {
    ReadDecoder(config_, family_.read_layer, reader);
  }
  std::unique_ptr<DecoderModel> Load(WeightReader* reader,
                                     std::unique_ptr<backend::Backend> backend) const override {
    return std::make_unique<DecoderModel>(config_, ReadDecoder(config_, family_.read_layer, reader),
                                          std::move(backend));
  }

 private:
  const TextFamily& family_;
  const TextConfig config_;
};

class Glm4vArchitecture final : public Architecture {
 public:
  explicit Glm4vArchitecture(Glm4vConfig config) : config_(std::move(config)) {}
  const TextConfig& text() const override { return config_.text; }
  int64_t ActivationBytes(int64_t tokens, int64_t image_tokens) const override {
    return TextActivationBytes(config_.text, tokens) +
           VisionActivationBytes(config_.vision, image_tokens);
  }
  void Check(WeightReader* reader) const override { ReadGlm4vWeights(config_, reader); }
  std::unique_ptr<DecoderModel> Load(WeightReader* reader,
                                     std::unique_ptr<backend::Backend> backend) const override {
    return std::make_unique<Glm4vModel>(config_, ReadGlm4vWeights(config_, reader),
                                        std::move(backend));
  }

 private:
  const Glm4vConfig config_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<Architecture>> NewArchitecture(const JsonObject& config) {
  ASSIGN_OR_RETURN(const std::string name, ArchitectureOf(config));
  if (name == kGlm4v) {
    ASSIGN_OR_RETURN(Glm4vConfig parsed, ParseGlm4vConfig(config));
    return std::make_unique<Glm4vArchitecture>(std::move(parsed));
  }
  std::string known = kGlm4v;
  for (const TextFamily* family : kTextFamilies) {
    if (name == family->class_name) {
      ASSIGN_OR_RETURN(TextConfig parsed, family->parse(config));
      return std::make_unique<TextArchitecture>(*family, std::move(parsed));
    }
    absl::StrAppend(&known, ", ", family->class_name);
  }
  return absl::UnimplementedError(
      absl::StrCat("architecture ", name, " is not supported; known are: ", known));
}

}  // namespace switchboard::model
