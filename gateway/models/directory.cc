#include "gateway/models/directory.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "gateway/openai/model_list.h"

namespace switchboard::gateway {

absl::StatusOr<NamedModel> FindModel(const DirectorySnapshot& snapshot, const std::string& name) {
  if (!snapshot.state.ok()) return snapshot.state;
  if (!name.empty()) {
    const auto found = snapshot.by_name.find(name);
    if (found == snapshot.by_name.end()) return openai::ModelNotFound(name);
    return NamedModel{name, found->second};
  }
  const ModelName& first = snapshot.names.front();
  const bool only_one = std::all_of(
      snapshot.names.begin(), snapshot.names.end(),
      [&first](const ModelName& other) { return other.fingerprint == first.fingerprint; });
  if (!only_one) {
    return openai::Error("missing_required_parameter", "model",
                         "There are several models: 'model' must name one.");
  }
  return NamedModel{first.name, snapshot.by_name.at(first.name)};
}

Directory::Directory(CardSource* source, absl::Duration interval)
    : source_(source), interval_(interval) {
  auto nothing = std::make_shared<DirectorySnapshot>();
  nothing->state = openai::Error("model_loading", "", "The server is starting.");
  MutexLock lock(&mutex_);
  snapshot_ = std::move(nothing);
}

Directory::~Directory() {
  {
    MutexLock lock(&mutex_);
    stopping_ = true;
    stop_.NotifyAll();
  }
  if (thread_.joinable()) thread_.join();
}

void Directory::Start() {
  Refresh();
  thread_ = std::thread([this] { Run(); });
}

std::shared_ptr<const DirectorySnapshot> Directory::Get() const {
  MutexLock lock(&mutex_);
  return snapshot_;
}

void Directory::Refresh() {
  uint64_t looks_before = 0;
  {
    MutexLock lock(&mutex_);
    looks_before = looks_;
  }
  MutexLock look(&look_mutex_);
  {
    // A look that began before the call may have missed what the caller knows; one more has not.
    MutexLock lock(&mutex_);
    if (looks_ > looks_before + 1) return;
  }
  Look();
}

void Directory::Run() {
  for (;;) {
    {
      MutexLock lock(&mutex_);
      if (!stopping_) stop_.WaitFor(&mutex_, interval_);
      if (stopping_) return;
    }
    MutexLock look(&look_mutex_);
    Look();
  }
}

void Directory::Look() {
  std::shared_ptr<const DirectorySnapshot> snapshot = MakeSnapshot();
  const std::string problem(snapshot->state.message());
  if (problem != last_problem_) {
    if (snapshot->state.ok()) {
      LOG(INFO) << "models available: " << snapshot->names.size();
    } else {
      LOG(WARNING) << "no model available: " << problem;
    }
    last_problem_ = problem;
  }
  MutexLock lock(&mutex_);
  snapshot_ = std::move(snapshot);
  ++looks_;
}

std::shared_ptr<const DirectorySnapshot> Directory::MakeSnapshot() {
  auto snapshot = std::make_shared<DirectorySnapshot>();
  const absl::StatusOr<std::vector<ModelName>> names = source_->ListModels();
  if (!names.ok()) {
    snapshot->state = openai::Error("no_healthy_worker", "", "No router can be reached.");
    return snapshot;
  }
  absl::Status problem =
      openai::Error("model_loading", "", "No model is ready yet, or no worker is healthy.");
  absl::flat_hash_set<std::string> listed;
  for (const ModelName& name : *names) {
    listed.insert(name.fingerprint);
    absl::StatusOr<std::shared_ptr<const Model>> model = ModelFor(name);
    if (model.ok()) {
      snapshot->names.push_back(name);
      snapshot->by_name[name.name] = *std::move(model);
    } else {
      problem = openai::Error("no_healthy_worker", "", "The model's card cannot be used.");
    }
  }
  absl::erase_if(models_, [&listed](const auto& entry) { return !listed.contains(entry.first); });
  if (snapshot->names.empty()) snapshot->state = problem;
  return snapshot;
}

absl::StatusOr<std::shared_ptr<const Model>> Directory::ModelFor(const ModelName& name) {
  const auto known = models_.find(name.fingerprint);
  if (known != models_.end()) return known->second;
  // What fails on the way is tried again with the next look.
  absl::StatusOr<ModelCard> card = source_->GetModelCard(name.name);
  if (!card.ok()) {
    LOG(WARNING) << "no card of model " << name.name << ": " << card.status().message();
    return card.status();
  }
  if (card->fingerprint != name.fingerprint) {
    return absl::UnavailableError("the model changed while its card was fetched");
  }
  absl::StatusOr<std::shared_ptr<const Model>> model = Model::FromCard(*std::move(card));
  if (model.ok()) {
    LOG(INFO) << "model " << name.name << " known, fingerprint " << name.fingerprint;
  } else {
    LOG(ERROR) << "model " << name.name << " cannot be served: " << model.status().message();
  }
  models_.insert_or_assign(name.fingerprint, model);
  return model;
}

}  // namespace switchboard::gateway
