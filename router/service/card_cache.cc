#include "router/service/card_cache.h"

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "rpc/status.h"

namespace switchboard::router {
namespace {

constexpr size_t kMostCards = 8;
constexpr std::chrono::seconds kPatience(30);

std::string KeyOf(absl::string_view fingerprint, absl::string_view version) {
  return absl::StrCat(fingerprint, "/", version);
}

absl::Status Stopping() { return absl::UnavailableError("the router is shutting down"); }

}  // namespace

// One call to a worker. Of the cache's lock: `receivers`.
struct CardCache::Fetch {
  grpc::ClientContext context;
  v1::GetModelCardRequest request;
  std::shared_ptr<v1::ModelCard> card = std::make_shared<v1::ModelCard>();
  std::vector<Receiver> receivers;
};

void CardCache::Get(const ModelName& model, v1::Inference::Stub* worker, Receiver receiver) {
  const std::string key = KeyOf(model.fingerprint, model.card_version);
  std::shared_ptr<Fetch> fetch;
  absl::StatusOr<Card> answer = Stopping();
  {
    MutexLock lock(&mutex_);
    if (Card card = Find(key); card != nullptr) {
      answer = std::move(card);
    } else if (!stopped_) {
      std::shared_ptr<Fetch>& entry = fetches_[key];
      const bool is_first = entry == nullptr;
      if (is_first) fetch = entry = std::make_shared<Fetch>();
      entry->receivers.push_back(std::move(receiver));
      if (!is_first) return;
    }
  }
  if (fetch == nullptr) return receiver(std::move(answer));
  fetch->context.set_deadline(std::chrono::system_clock::now() + kPatience);
  fetch->request.set_name(model.name);
  Fetch* const raw = fetch.get();
  worker->async()->GetModelCard(
      &raw->context, &raw->request, raw->card.get(),
      [this, key, fetch](const grpc::Status& status) { Finish(key, status); });
}

void CardCache::Finish(const std::string& key, const grpc::Status& status) {
  absl::StatusOr<Card> answer = Stopping();
  std::vector<Receiver> receivers;
  {
    MutexLock lock(&mutex_);
    const auto found = fetches_.find(key);
    receivers = std::move(found->second->receivers);
    Card card = std::move(found->second->card);
    fetches_.erase(found);
    if (!status.ok()) {
      if (!stopped_) answer = Annotate(rpc::ToAbsl(status), "no model card from the worker");
    } else if (KeyOf(card->fingerprint(), card->card_version()) != key) {
      answer = absl::UnavailableError("the model changed while its card was fetched");
    } else {
      cards_.emplace_front(key, card);
      if (cards_.size() > kMostCards) cards_.pop_back();
      answer = std::move(card);
    }
  }
  // The cache may be gone when the last of them has been called.
  for (const Receiver& receiver : receivers) receiver(answer);
}

void CardCache::Stop() {
  std::vector<std::shared_ptr<Fetch>> fetches;
  {
    MutexLock lock(&mutex_);
    stopped_ = true;
    for (const auto& [key, fetch] : fetches_) fetches.push_back(fetch);
  }
  for (const std::shared_ptr<Fetch>& fetch : fetches) fetch->context.TryCancel();
}

CardCache::Card CardCache::Find(absl::string_view key) const {
  for (const auto& [kept, card] : cards_) {
    if (kept == key) return card;
  }
  return nullptr;
}

}  // namespace switchboard::router
