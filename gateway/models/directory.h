// Which models can be asked for now. One thread looks every second, builds a snapshot and publishes
// it; requests read the snapshot and never wait for the network.
#ifndef SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_
#define SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_

#include <cstdint>
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
  // Stops the thread; waits for a look that is under way.
  ~Directory();
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;

  // Looks once, then starts the thread. Not finding anything is no error: it may come.
  void Start();

  // Never null. Before the first look: unavailable.
  std::shared_ptr<const DirectorySnapshot> Get() const EXCLUDES(mutex_);

  // Looks now: for a caller who was told that a fingerprint is out of date. Blocks for seconds at
  // most; a caller that waited while another one looked does not look again.
  void Refresh() EXCLUDES(look_mutex_, mutex_);

 private:
  void Run() EXCLUDES(mutex_);
  void Look() REQUIRES(look_mutex_) EXCLUDES(mutex_);
  std::shared_ptr<const DirectorySnapshot> MakeSnapshot() REQUIRES(look_mutex_);
  // The parsed model of a name, from the cache or fetched.
  absl::StatusOr<std::shared_ptr<const Model>> ModelFor(const ModelName& name)
      REQUIRES(look_mutex_);

  CardSource* const source_;
  const absl::Duration interval_;

  // Held while looking, so that there is one look at a time.
  Mutex look_mutex_;
  // By fingerprint; a card that cannot be used is not fetched again.
  absl::flat_hash_map<std::string, absl::StatusOr<std::shared_ptr<const Model>>> models_
      GUARDED_BY(look_mutex_);
  std::string last_problem_ GUARDED_BY(look_mutex_);  // logged once, not every second

  mutable Mutex mutex_;
  CondVar stop_;
  bool stopping_ GUARDED_BY(mutex_) = false;
  uint64_t looks_ GUARDED_BY(mutex_) = 0;
  std::shared_ptr<const DirectorySnapshot> snapshot_ GUARDED_BY(mutex_);

  std::thread thread_;
};

}  // namespace switchboard::gateway

#endif  // SWITCHBOARD_GATEWAY_MODELS_DIRECTORY_H_
