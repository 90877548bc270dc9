#include "tests/unit/worker/engine/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tests/unit/worker/engine/fake_model.h"
#include "worker/engine/sample/philox.h"

namespace switchboard::engine {
namespace {

// The hash over a whole sequence.
uint64_t HashOf(const Request& request, const std::vector<int32_t>& tokens) {
  std::vector<model::ImageRange> ranges;
  std::map<int32_t, std::vector<float>> embedding_of_token;
  for (const PreparedImage& image : request.images) {
    ranges.push_back({image.prompt_offset, image.grid_h, image.grid_w});
    const std::vector<float> all = FakeEmbeddings(image.patches, image.grid_h, image.grid_w);
    for (int32_t i = 0; i < image.tokens; ++i) {
      embedding_of_token[image.prompt_offset + i] =
          std::vector<float>(all.begin() + i * kFakeHidden, all.begin() + (i + 1) * kFakeHidden);
    }
  }
  const int32_t prompt_tokens = static_cast<int32_t>(request.prompt_ids.size());
  const model::PositionPlan plan = FakePositions(prompt_tokens, ranges);
  uint64_t hash = 0;
  for (int32_t i = 0; i < static_cast<int32_t>(tokens.size()); ++i) {
    const model::Position position =
        i < prompt_tokens ? plan.prompt[i]
                          : model::Position{i + plan.delta, i + plan.delta, i + plan.delta};
    const auto embedding = embedding_of_token.find(i);
    hash = Attend(hash, embedding != embedding_of_token.end()
                            ? ImageEntry(embedding->second.data(), position)
                            : TextEntry(tokens[i], position));
  }
  return hash;
}

void Penalize(const Request& request, const std::vector<int32_t>& output,
              std::vector<float>* logits) {
  const SamplingParams& params = request.sampling;
  std::set<int32_t> seen(output.begin(), output.end());
  for (const int32_t id : request.prompt_ids) {
    if (id != kImageToken) seen.insert(id);
  }
  for (const int32_t id : seen) {
    float& logit = (*logits)[id];
    logit = logit > 0 ? logit / params.repetition_penalty : logit * params.repetition_penalty;
  }
  for (const int32_t id : std::set<int32_t>(output.begin(), output.end())) {
    const float count = static_cast<float>(std::count(output.begin(), output.end(), id));
    (*logits)[id] -= params.frequency_penalty * count;
    (*logits)[id] -= params.presence_penalty;
  }
  for (const auto& [id, bias] : params.logit_bias) (*logits)[id] += bias;
}

int32_t Choose(std::vector<float> logits, const SamplingParams& params, uint32_t position,
               uint32_t choice) {
  std::vector<int32_t> order;
  for (int32_t id = 0; id < kFakeVocab; ++id) {
    if (std::isfinite(logits[id])) order.push_back(id);
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  if (params.temperature < 1e-5f) return order[0];
  if (params.top_k > 0 && params.top_k < static_cast<int>(order.size())) order.resize(params.top_k);
  const double temperature = params.temperature;
  const auto weight = [&](int32_t id) {
    return std::exp((double{logits[id]} - logits[order[0]]) / temperature);
  };
  double total = 0, sum = 0;
  for (const int32_t id : order) total += weight(id);
  std::vector<int32_t> left;
  for (const int32_t id : order) {
    if (!left.empty() && sum >= params.top_p * total) break;
    sum += weight(id);
    if (weight(id) >= params.min_p) left.push_back(id);
  }
  std::sort(left.begin(), left.end());
  int32_t best = -1;
  double best_score = -std::numeric_limits<double>::infinity();
  for (const int32_t id : left) {
    const uint32_t bits = Philox(
        {static_cast<uint32_t>(id) / 4, position, choice, 0},
        {static_cast<uint32_t>(params.seed), static_cast<uint32_t>(params.seed >> 32)})[id % 4];
    const double score =
        logits[id] / temperature - std::log(-std::log((bits + 0.5) / 4294967296.0));
    if (score > best_score) {
      best_score = score;
      best = id;
    }
  }
  return best;
}

Answer AnswerOf(const Request& request, uint32_t choice, int max_model_len,
                const std::vector<int32_t>& eos_token_ids) {
  const SamplingParams& params = request.sampling;
  const auto has = [](const std::vector<int32_t>& ids, int32_t id) {
    return std::find(ids.begin(), ids.end(), id) != ids.end();
  };
  Answer answer;
  std::vector<int32_t> tokens = request.prompt_ids;
  while (true) {
    std::vector<float> logits = FakeLogits(HashOf(request, tokens), false);
    Penalize(request, answer.ids, &logits);
    const auto is_eos = [&](int32_t id) { return !params.ignore_eos && has(eos_token_ids, id); };
    const auto stops = [&](int32_t id) { return is_eos(id) || has(params.stop_token_ids, id); };
    if (static_cast<int>(answer.ids.size()) < params.min_tokens) {
      for (int32_t id = 0; id < kFakeVocab; ++id) {
        if (stops(id)) logits[id] = -std::numeric_limits<float>::infinity();
      }
    }
    const int32_t id = Choose(logits, params, static_cast<uint32_t>(tokens.size()), choice);
    ++answer.completion_tokens;
    if (stops(id)) {
      answer.stop_token_id = id;
      answer.stop_token_requested = !is_eos(id);
      return answer;
    }
    answer.ids.push_back(id);
    tokens.push_back(id);
    if (static_cast<int>(answer.ids.size()) == params.max_tokens ||
        static_cast<int>(tokens.size()) == max_model_len) {
      answer.reason = FinishedEvent::kLength;
      return answer;
    }
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  for (const int32_t id : answer.ids) out << id << ' ';
  return out << (answer.reason == FinishedEvent::kStop ? "stop " : "length ")
             << answer.stop_token_id << (answer.stop_token_requested ? " requested" : "") << ", "
             << answer.completion_tokens << " tokens";
}

std::vector<Answer> ReferenceAnswers(const Request& request, int max_model_len,
                                     const std::vector<int32_t>& eos_token_ids) {
  std::vector<Answer> answers;
  for (int choice = 0; choice < request.choices; ++choice) {
    answers.push_back(
        AnswerOf(request, static_cast<uint32_t>(choice), max_model_len, eos_token_ids));
  }
  return answers;
}

}  // namespace switchboard::engine
