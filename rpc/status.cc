#include "rpc/status.h"

#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace switchboard::rpc {
namespace {

constexpr char kRetryAfterKey[] = "retry-after-ms";
constexpr size_t kMaxMessage = 2000;
constexpr int64_t kDayMs = 24 * 60 * 60 * 1000;

// The longest start of `text` of at most kMaxMessage bytes that does not cut a UTF-8 character.
absl::string_view Shortened(absl::string_view text) {
  if (text.size() <= kMaxMessage) return text;
  size_t end = kMaxMessage;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end);
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  if (status.ok()) return grpc::Status::OK;
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()),
                      std::string(Shortened(status.message())));
}

absl::Status ToAbsl(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), status.error_message());
}

void SetRetryAfter(absl::Duration retry_after, grpc::ServerContextBase* context) {
  const int64_t ms = absl::ToInt64Milliseconds(absl::Ceil(retry_after, absl::Milliseconds(1)));
  context->AddTrailingMetadata(kRetryAfterKey, absl::StrCat(ms));
}

std::optional<absl::Duration> GetRetryAfter(const grpc::ClientContext& context) {
  const auto& metadata = context.GetServerTrailingMetadata();
  const auto found = metadata.find(kRetryAfterKey);
  if (found == metadata.end()) return std::nullopt;
  int64_t ms = 0;
  const absl::string_view text(found->second.data(), found->second.size());
  if (!absl::SimpleAtoi(text, &ms) || ms < 0 || ms > kDayMs) return std::nullopt;
  return absl::Milliseconds(ms);
}

}  // namespace switchboard::rpc
