#include "worker/model/stored_tensor.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "worker/backend/quant.h"

namespace switchboard::model {

absl::Status BadTensor(absl::string_view name, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("tensor '", absl::CHexEscape(name.substr(0, 200)), "': ", what));
}

absl::StatusOr<backend::TensorView> AsFloats(const StoredTensor& tensor) {
  backend::TensorView view;
  view.shape = tensor.shape;
  view.bytes = tensor.bytes.data();
  view.interleaved_rows = tensor.interleaved_rows;
  view.blocks = backend::FindBlockFormat(tensor.dtype);
  if (view.blocks != nullptr || tensor.dtype == "F32") return view;
  view.dtype = tensor.dtype == "BF16" ? backend::DType::kBf16 : backend::DType::kF16;
  if (tensor.dtype == "BF16" || tensor.dtype == "F16") return view;
  return BadTensor(tensor.name, absl::StrCat("weights of type ", tensor.dtype,
                                             " are not supported (F32, F16, BF16, Q8_0, Q4_0, "
                                             "Q4_1, Q4_K, Q5_K, Q6_K are)"));
}

}  // namespace switchboard::model
