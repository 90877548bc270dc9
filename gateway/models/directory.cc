#include "gateway/models/directory.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "gateway/openai/error.h"
#include "gateway/openai/model_list.h"

namespace switchboard::gateway {
namespace {

// What cards are kept by. Takes a ModelName or a ModelCard.
template <typename Named>
std::string KeyOf(const Named& named) {
  return absl::StrCat(named.fingerprint, "/", named.card_version);
}

}  // namespace

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

Directory::~Directory() { Stop(); }

void Directory::Start() {
  Look();
  thread_ = std::thread([this] { Run(); });
}

void Directory::Stop() {
  std::vector<std::function<void()>> waiting;
  {
    MutexLock lock(&mutex_);
    if (std::exchange(stopping_, true)) return;
    waiting.swap(waiting_);
    changed_.NotifyAll();
  }
  source_->CancelLooks();
  if (thread_.joinable()) thread_.join();
  for (const std::function<void()>& done : waiting) done();
}

std::shared_ptr<const DirectorySnapshot> Directory::Get() const {
  MutexLock lock(&mutex_);
  return snapshot_;
}

void Directory::LookAgain(std::function<void()> done) {
  {
    MutexLock lock(&mutex_);
    if (!stopping_) {
      waiting_.push_back(std::move(done));
      changed_.NotifyAll();
      return;
    }
  }
  done();
}

void Directory::Run() {
  for (;;) {
    std::vector<std::function<void()>> waiting;
    {
      MutexLock lock(&mutex_);
      if (!stopping_ && waiting_.empty()) changed_.WaitFor(&mutex_, interval_);
      if (stopping_) return;
      waiting.swap(waiting_);
    }
    Look();
    for (const std::function<void()>& done : waiting) done();
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
  // A look that was cut short knows nothing.
  if (!stopping_) snapshot_ = std::move(snapshot);
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
  absl::flat_hash_set<std::string> listed, listed_names;
  for (const ModelName& name : *names) {
    listed.insert(KeyOf(name));
    listed_names.insert(name.name);
    absl::StatusOr<std::shared_ptr<const Model>> model = ModelFor(name);
    LogProblem(name, model.status());
    if (model.ok()) {
      snapshot->names.push_back(name);
      snapshot->by_name[name.name] = *std::move(model);
    } else {
      problem = openai::Error("no_healthy_worker", "", "The model's card cannot be used.");
    }
  }
  absl::erase_if(models_, [&listed](const auto& entry) { return !listed.contains(entry.first); });
  absl::erase_if(problems_, [&](const auto& entry) { return !listed_names.contains(entry.first); });
  if (snapshot->names.empty()) snapshot->state = problem;
  return snapshot;
}

absl::StatusOr<std::shared_ptr<const Model>> Directory::ModelFor(const ModelName& name) {
  const auto known = models_.find(KeyOf(name));
  if (known != models_.end()) return known->second;
  // What fails on the way is tried again with the next look.
  absl::StatusOr<ModelCard> card = source_->GetModelCard(name.name);
  if (!card.ok()) return Annotate(card.status(), "no card");
  if (KeyOf(*card) != KeyOf(name)) {
    return absl::UnavailableError("the model changed while its card was fetched");
  }
  absl::StatusOr<std::shared_ptr<const Model>> model = Model::FromCard(*std::move(card));
  if (model.ok()) {
    LOG(INFO) << "model " << name.name << " known, fingerprint " << name.fingerprint;
  }
  models_.insert_or_assign(KeyOf(name), model);
  return model;
}

void Directory::LogProblem(const ModelName& name, const absl::Status& problem) {
  const std::string text(problem.message());
  std::string& last = problems_[name.name];
  if (text == last) return;
  if (!problem.ok()) LOG(WARNING) << "model " << name.name << " cannot be served: " << text;
  last = text;
}

}  // namespace switchboard::gateway
