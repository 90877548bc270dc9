#include "tests/integration/worker/harness.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/mapped_file.h"
#include "rpc/channel.h"
#include "rpc/status.h"

namespace switchboard::worker {
namespace {

constexpr int kMaxTokens = 8192;

engine::EngineOptions Limits() {
  engine::EngineOptions options;
  options.max_running = 4;
  options.max_batched_tokens = 128;
  options.kv_pages = 4 * kMaxTokens / model::kPageTokens;
  options.max_model_len = kMaxTokens;
  options.usable_vocab = engine::kPoisonToken;  // ids below it
  return options;
}

Identity SomeIdentity() {
  Identity identity;
  identity.name = "w0";
  identity.fingerprint = "f1";
  return identity;
}

}  // namespace

bool Eventually(const std::function<bool()>& condition) {
  const absl::Duration end = SystemClock().Monotonic() + absl::Seconds(30);
  while (SystemClock().Monotonic() < end) {
    if (condition()) return true;
    std::this_thread::yield();
  }
  return false;
}

v1::GenerateRequest TextRequest(int max_tokens) {
  v1::GenerateRequest request;
  request.set_model("fake");
  request.set_fingerprint("f1");
  request.set_choices(1);
  for (int id : {1, 2, 3}) request.add_prompt_ids(id);
  v1::Sampling* sampling = request.mutable_sampling();
  sampling->set_top_p(1);
  sampling->set_repetition_penalty(1);
  sampling->set_max_tokens(max_tokens);
  sampling->set_ignore_eos(true);
  return request;
}

v1::GenerateRequest ImageRequest(int max_tokens) {
  v1::GenerateRequest request = TextRequest(max_tokens);
  v1::MediaItem* item = request.add_media();
  item->set_content(*ReadFile(SWITCHBOARD_TEST_DATA "/golden/examples/screen_000.png", 1 << 20));
  item->set_sha256(Sha256Of(item->content()));
  item->set_grid_h(22);
  item->set_grid_w(10);
  item->set_tokens(55);
  item->set_prompt_offset(request.prompt_ids_size());
  for (int i = 0; i < item->tokens(); ++i) request.add_prompt_ids(engine::kImageToken);
  return request;
}

std::optional<v1::GenerateEvent> Call::Next() {
  v1::GenerateEvent event;
  if (!reader_->Read(&event)) return std::nullopt;
  return event;
}

End Call::Finish() {
  End end;
  while (const std::optional<v1::GenerateEvent> event = Next()) {
    for (const int32_t id : event->tokens().ids()) end.tokens.push_back(id);
  }
  end.status = rpc::ToAbsl(reader_->Finish());
  end.retry_after = rpc::GetRetryAfter(context_);
  return end;
}

Worker::Worker() : Worker(Options()) {}

Worker::Worker(Options options)
    : options_(std::move(options)),
      identity_(SomeIdentity()),
      engine_options_(Limits()),
      budget_(options_.image_bytes),
      engine_(&model_, engine_options_, SystemClock()),
      jobs_(1, options_.max_images_waiting) {
  files_ = *ReadModelFiles(SWITCHBOARD_MODELS "/autoglm-phone-tiny");
  files_.images->image_token_id = engine::kImageToken;
  identity_.model_names = options_.names;
  v1::WorkerReport first;
  AddModelNames(identity_, ToCard(identity_, files_, card_), first.mutable_models());
  hub_ = std::make_unique<WatchHub>([this] { return Report(); }, std::move(first));
  const ImageWork images = {.jobs = &jobs_, .budget = &budget_, .hidden_size = engine::kFakeHidden};
  inference_ = std::make_unique<InferenceService>(&identity_, &files_, &card_, &engine_, images);
  control_service_ = std::make_unique<ControlService>(hub_.get());
  EXPECT_EQ(engine_.Start(), absl::OkStatus());
  static std::atomic<int> number = 0;
  const std::string socket =
      absl::StrCat("unix:", testing::TempDir(), "worker_", getpid(), "_", ++number);
  auto server = rpc::Server::Start(*rpc::ParseListenAddress(socket),
                                   {inference_.get(), control_service_.get()});
  EXPECT_TRUE(server.ok()) << server.status();
  server_ = *std::move(server);
  const auto channel = rpc::MakeChannel(server_->address());
  inference_stub_ = v1::Inference::NewStub(channel);
  control_stub_ = v1::WorkerControl::NewStub(channel);
}

v1::WorkerReport Worker::Report() {
  if (options_.on_report) options_.on_report();
  return ToReport(identity_, LoadOf(engine_, jobs_), engine_options_, false);
}

void Worker::Stop() {
  jobs_.BeginStop();
  engine_.Stop(absl::ZeroDuration());
  hub_->Stop();
  server_->Stop(absl::Seconds(1));
  jobs_.Stop();
}

}  // namespace switchboard::worker
