// Safetensors files and whole model folders made in tests, with any fault wanted.
#ifndef SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_TINY_CHECKPOINT_H_
#define SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_TINY_CHECKPOINT_H_

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "worker/model/safetensors.h"

namespace switchboard::model {

// The bytes of a file with this header text and data.
inline std::string SafetensorsBytes(const std::string& header, const std::string& data) {
  const uint64_t length = header.size();
  std::string bytes(8, '\0');
  std::memcpy(&bytes[0], &length, 8);
  return bytes + header + data;
}

struct TinyTensor {
  std::string dtype;
  std::vector<int64_t> shape;
  std::string bytes;
};

// A well-formed file of these tensors.
inline std::string SafetensorsOf(const std::map<std::string, TinyTensor>& tensors) {
  std::string header = "{", data;
  for (const auto& [name, tensor] : tensors) {
    absl::StrAppend(&header, header.size() > 1 ? "," : "", "\"", name, "\":{\"dtype\":\"",
                    tensor.dtype, "\",\"shape\":[", absl::StrJoin(tensor.shape, ","),
                    "],\"data_offsets\":[", data.size(), ",", data.size() + tensor.bytes.size(),
                    "]}");
    data += tensor.bytes;
  }
  return SafetensorsBytes(header + "}", data);
}

inline void WriteFile(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// A model folder under the test's temporary directory, a changed copy of a golden one.
class TinyModel {
 public:
  // `golden`: "vision/models/a_fp32".
  explicit TinyModel(const std::string& golden)
      : dir_(std::filesystem::path(testing::TempDir()) /
             absl::StrCat("tiny_model_", ::getpid(), "_", count_++)) {
    const std::string from = absl::StrCat(SWITCHBOARD_TEST_DATA "/golden/", golden);
    std::filesystem::create_directories(dir_);
    config = ParseJson(*ReadFile(from + "/config.json", 1 << 20))->as_object();
    const auto file = MappedFile::Open(from + "/model.safetensors");
    const auto stored = ParseSafetensors((*file)->bytes());
    for (const StoredTensor& tensor : *stored) {
      tensors[tensor.name] = {tensor.dtype, tensor.shape, std::string(tensor.bytes)};
    }
  }
  ~TinyModel() { std::filesystem::remove_all(dir_); }
  TinyModel(const TinyModel&) = delete;
  TinyModel& operator=(const TinyModel&) = delete;

  // Writes config and weights as they now are; the folder.
  std::string Write() const {
    WriteFile(dir_ / "config.json", SerializeJson(config));
    WriteFile(dir_ / "model.safetensors", SafetensorsOf(tensors));
    return dir_.string();
  }
  const std::filesystem::path& dir() const { return dir_; }
  JsonObject& text() { return config["text_config"].as_object(); }
  JsonObject& vision() { return config["vision_config"].as_object(); }

  JsonObject config;
  std::map<std::string, TinyTensor> tensors;

 private:
  static inline int count_ = 0;
  const std::filesystem::path dir_;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_TESTS_UNIT_WORKER_MODEL_TINY_CHECKPOINT_H_
