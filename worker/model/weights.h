// From the names of a checkpoint to the weights of a model: every expected tensor exactly once,
// nothing guessed.
#ifndef SWITCHBOARD_WORKER_MODEL_WEIGHTS_H_
#define SWITCHBOARD_WORKER_MODEL_WEIGHTS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "worker/backend/ops.h"
#include "worker/model/checkpoint.h"

namespace switchboard::model {

// Called while weights are loaded: fraction 0 to 1, bytes read so far. On the loading thread.
// May be empty.
using ProgressFn = std::function<void(double fraction, int64_t bytes)>;

// One spelling for the layouts in circulation: "language_model.layers.0...", "visual...",
// "lm_head.weight". Empty for tensors that carry no weights (rotary_emb.inv_freq, position_ids).
std::string CanonicalName(absl::string_view name);

// What a checkpoint stored matrices are kept as. "auto" keeps each as it is; "float32" and
// "bfloat16" convert; "float16" is InvalidArgument unless all are float16 already, since others
// would overflow in it.
struct StoragePolicy {
  bool keep = true;
  backend::DType dtype = backend::DType::kF32;
};
absl::StatusOr<StoragePolicy> ParseStorage(absl::string_view dtype, const Checkpoint& checkpoint);

// Tensor `name` (canonical), expected with this shape.
struct WeightSpec {
  std::string name;
  std::vector<int64_t> shape;
};

// Hands a model its weights. The same building code runs twice: over a checking reader (no
// backend), which compares names and shapes with the headers and adds up sizes, and over a loading
// one. Errors are kept until Finish. The checkpoint is borrowed.
class WeightReader {
 public:
  // Checks: matrices come back as nullptr, vectors empty.
  WeightReader(const Checkpoint& checkpoint, StoragePolicy storage);
  // Loads. REQUIRES: a checking reader found everything.
  WeightReader(const Checkpoint& checkpoint, StoragePolicy storage, backend::Backend* backend,
               ProgressFn progress);

  bool Has(absl::string_view name) const { return tensors_.count(std::string(name)) > 0; }
  // The content of two tensors is the same, bit for bit. REQUIRES: Has both.
  bool Equal(absl::string_view a, absl::string_view b) const;

  // The matrices stacked one below the other.
  std::unique_ptr<backend::Matrix> ReadMatrix(const std::vector<WeightSpec>& blocks);
  // A tensor [rows, ...] as a matrix whose column c is the stored column source(c), both over the
  // flattened rest.
  std::unique_ptr<backend::Matrix> ReadPermuted(const WeightSpec& spec,
                                                absl::FunctionRef<int64_t(int64_t)> source);
  // The tensors one behind the other, as floats.
  std::vector<float> ReadVector(const std::vector<WeightSpec>& parts);
  // Accounts for a tensor that is not needed (a copy of another one).
  void Drop(const WeightSpec& spec);

  // OK when every tensor of the checkpoint was asked for exactly once, with its shape.
  // InvalidArgument lists what is missing, unexpected, of another shape or doubled.
  absl::Status Finish() const;

  // Bytes that the weights take in the back end's memory.
  int64_t bytes() const { return bytes_; }
  // "704 tensors, 10292777472 parameters, each filled exactly once". REQUIRES: Finish() is OK.
  std::string Report() const;

 private:
  struct Entry {
    const StoredTensor* stored;
    int reads = 0;
  };

  // nullptr, with the reason noted, when it is missing or wrong; counts the read.
  const StoredTensor* Take(const WeightSpec& spec);
  absl::StatusOr<backend::TensorView> View(const WeightSpec& spec);
  backend::DType StorageOf(backend::DType stored) const;
  std::unique_ptr<backend::Matrix> Pack(const std::vector<backend::TensorView>& views);
  void Advance(int64_t bytes);
  void Note(absl::Status status);

  const StoragePolicy storage_;
  backend::Backend* const backend_;  // nullptr: only checking
  const ProgressFn progress_;
  std::map<std::string, Entry> tensors_;  // by canonical name
  std::vector<std::string> missing_, wrong_, doubled_;
  absl::Status first_error_;
  int64_t total_bytes_ = 0, read_bytes_ = 0, bytes_ = 0;
};

}  // namespace switchboard::model

#endif  // SWITCHBOARD_WORKER_MODEL_WEIGHTS_H_
