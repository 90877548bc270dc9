// Writes GGUF files, right and wrong ones.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_GGUF_BUILDER_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_GGUF_BUILDER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "worker/model/gguf_metadata.h"

namespace switchboard::model {

// A number's bytes.
template <typename T>
std::string Raw(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// A string as the format has it.
inline std::string RawText(const std::string& text) { return Raw<uint64_t>(text.size()) + text; }

inline std::string RawArray(GgufType type, uint64_t count, const std::string& elements) {
  return Raw(static_cast<uint32_t>(type)) + Raw(count) + elements;
}

// Fills the header from what was added; a test may then overwrite what it wants to be wrong.
class GgufBuilder {
 public:
  static constexpr uint32_t kF32 = 0, kF16 = 1, kQ8_0 = 8;

  GgufBuilder& Pair(const std::string& key, GgufType type, const std::string& value) {
    metadata += RawText(key) + Raw(static_cast<uint32_t>(type)) + value;
    ++pairs;
    return *this;
  }
  GgufBuilder& Text(const std::string& key, const std::string& value) {
    return Pair(key, GgufType::kString, RawText(value));
  }
  GgufBuilder& Uint(const std::string& key, uint32_t value) {
    return Pair(key, GgufType::kUint32, Raw(value));
  }
  GgufBuilder& Float(const std::string& key, float value) {
    return Pair(key, GgufType::kFloat32, Raw(value));
  }
  // `shape`: outermost first; `type`: the number of ggml.
  GgufBuilder& Tensor(const std::string& name, const std::vector<int64_t>& shape, uint32_t type,
                      const std::string& bytes) {
    std::string dimensions;
    for (const int64_t size : shape) dimensions = Raw(size) + dimensions;
    table += RawText(name) + Raw(static_cast<uint32_t>(shape.size())) + dimensions + Raw(type) +
             Raw<uint64_t>(data.size());
    data += bytes;
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    ++tensors;
    return *this;
  }

  std::string Build() const {
    std::string file = magic + Raw(version) + Raw(tensors) + Raw(pairs) + metadata + table;
    if (data.empty()) return file;
    file.resize((file.size() + alignment - 1) / alignment * alignment);
    return file + data;
  }

  std::string magic = "GGUF", metadata, table, data;
  uint32_t version = 3;
  uint64_t tensors = 0, pairs = 0;
  size_t alignment = 32;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_GGUF_BUILDER_H_
