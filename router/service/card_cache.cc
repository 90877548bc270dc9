#include "router/service/card_cache.h"

#include <chrono>
#include <utility>

#include "base/status_macros.h"
#include "rpc/status.h"

namespace switchboard::router {
namespace {

constexpr size_t kMostCards = 8;
constexpr std::chrono::seconds kPatience(30);

}  // namespace

struct CardCache::Fetch {
  grpc::ClientContext context;
  v1::GetModelCardRequest request;
  std::shared_ptr<v1::ModelCard> card = std::make_shared<v1::ModelCard>();
  Receiver receiver;
};

void CardCache::Get(const std::string& fingerprint, absl::string_view model,
                    v1::Inference::Stub* worker, Receiver receiver) {
  if (Card card = Find(fingerprint); card != nullptr) return receiver(std::move(card));
  auto fetch = std::make_shared<Fetch>();
  fetch->context.set_deadline(std::chrono::system_clock::now() + kPatience);
  fetch->request.set_name(std::string(model));
  fetch->receiver = std::move(receiver);
  Fetch* const raw = fetch.get();
  worker->async()->GetModelCard(
      &raw->context, &raw->request, raw->card.get(), [this, fetch](const grpc::Status& status) {
        if (!status.ok()) {
          fetch->receiver(Annotate(rpc::ToAbsl(status), "no model card from the worker"));
          return;
        }
        Keep(fetch->card);
        fetch->receiver(Card(fetch->card));
      });
}

CardCache::Card CardCache::Find(absl::string_view fingerprint) {
  MutexLock lock(&mutex_);
  for (const Card& card : cards_) {
    if (card->fingerprint() == fingerprint) return card;
  }
  return nullptr;
}

void CardCache::Keep(Card card) {
  MutexLock lock(&mutex_);
  for (const Card& kept : cards_) {
    if (kept->fingerprint() == card->fingerprint()) return;
  }
  cards_.push_front(std::move(card));
  if (cards_.size() > kMostCards) cards_.pop_back();
}

}  // namespace switchboard::router
