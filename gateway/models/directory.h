// Which models can be asked for now. One thread looks every second, builds a snapshot and publishes
// it; requests read the snapshot, and no thread of theirs waits for the network.
#ifndef SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_
#define SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "gateway/models/model.h"

namespace switchboard::gateway {

// What was known at one moment. Immutable.
struct DirectorySnapshot {
  // OK when at least one model can be used; else an API error (503) that says why not.
  absl::Status state;
  std::vector<ModelName> names;  // usable ones; the first is the default
  absl::flat_hash_map<std::string, std::shared_ptr<const Model>> by_name;
};

// A name a request may use, and what is behind it.
struct NamedModel {
  std::string name;
  std::shared_ptr<const Model> model;
};

// The model that a request asks for. An empty name stands for the only model. The error is the
// API's: 404 for an unknown name, 400 for a missing one, 503 while nothing is there.
absl::StatusOr<NamedModel> FindModel(const DirectorySnapshot& snapshot, const std::string& name);

// Thread-safe.
class Directory {
 public:
  // `source` is borrowed and must outlive the directory.
  Directory(CardSource* source, absl::Duration interval);
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Looks once, then starts the thread. Not finding anything is no error: it may come. REQUIRES:
  // called once.
  void Start();
  // Cancels the look that is under way and ends the thread; what was known last remains. For the
  // thread that called Start(); later calls do nothing.
  void Stop() EXCLUDES(mutex_);

  // Never null. Before the first look: unavailable.
  std::shared_ptr<const DirectorySnapshot> Get() const EXCLUDES(mutex_);

  // For one who was told that a fingerprint is out of date: the thread looks soon, and `done` is
  // called by it once a look that began after this call has been published. When the directory has
  // been stopped, or is, `done` is called all the same.
  void LookAgain(std::function<void()> done) EXCLUDES(mutex_);

 private:
  void Run() EXCLUDES(mutex_);
  void Look() EXCLUDES(mutex_);
  std::shared_ptr<const DirectorySnapshot> MakeSnapshot();
  // The parsed model of a name, from the cache or fetched.
  absl::StatusOr<std::shared_ptr<const Model>> ModelFor(const ModelName& name);
  // Logs what is wrong with a name once, not with every look.
  void LogProblem(const ModelName& name, const absl::Status& problem);

  CardSource* const source_;
  const absl::Duration interval_;

  // Used by the one thread that looks: that of Start(), then our own.
  // By fingerprint and card version; a card that cannot be used is not fetched again.
  absl::flat_hash_map<std::string, absl::StatusOr<std::shared_ptr<const Model>>> models_;
  std::string last_problem_;                                // of all
  absl::flat_hash_map<std::string, std::string> problems_;  // last one, by name

  mutable Mutex mutex_;
  CondVar changed_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> waiting_ GUARDED_BY(mutex_);  // for the next look
  std::shared_ptr<const DirectorySnapshot> snapshot_ GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_
