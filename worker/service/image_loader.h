// From a client's PNG or JPEG to the patch rows that the vision tower takes, off the engine's
// thread.
#ifndef SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_
#define SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/mutex.h"
#include "switchboard/v1/inference.pb.h"
#include "worker/engine/request.h"
#include "worker/service/model_files.h"

namespace switchboard::worker {

// Decodes, resizes and normalises. InvalidArgument when the bytes are no such image, or when the
// grid that the sender computed is not the one that `rules` give.
absl::StatusOr<engine::PreparedImage> PrepareImage(const v1::MediaItem& item,
                                                   const ImageRules& rules);

// Checks the placeholders of a request before anything is decoded: inside the prompt, all of them
// image tokens, in order, as many images as allowed. InvalidArgument names the item.
absl::Status CheckPlacements(const v1::GenerateRequest& request, const ModelFiles& files,
                             int max_images);

// A few threads with a bounded queue of jobs. Thread-safe.
class JobQueue {
 public:
  JobQueue(int threads, size_t max_waiting);
  // Finishes the jobs that are queued.
  ~JobQueue();
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  // ResourceExhausted when `max_waiting` jobs wait already.
  absl::Status Add(std::function<void()> job);

 private:
  void Run();

  const size_t max_waiting_;
  Mutex mutex_;
  CondVar changed_;
  std::deque<std::function<void()>> jobs_ GUARDED_BY(mutex_);
  bool stopping_ GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;  // set by the constructor, joined by the destructor
};

}  // namespace switchboard::worker

#endif  // SWITCHBOARD_WORKER_SERVICE_IMAGE_LOADER_H_
