// A decoder of the shape of SmolLM2-135M with random float weights.
#ifndef SWITCHBOARD_TESTS_BENCH_DECODE_RANDOM_DECODER_H_
#define SWITCHBOARD_TESTS_BENCH_DECODE_RANDOM_DECODER_H_

#include <cstdint>
#include <memory>

#include "worker/backend/ops.h"
#include "worker/model/decoder_model.h"

namespace switchboard::bench {

struct RandomDecoder {
  std::unique_ptr<model::DecoderModel> model;
  int64_t weight_bytes = 0;  // read for each token
};

// 30 layers, hidden 576, 9 query and 3 KV heads of 64, MLP 1536, vocabulary 49152, tied.
RandomDecoder NewRandomDecoder(std::unique_ptr<backend::Backend> backend);

}  // namespace switchboard::bench

#endif  // SWITCHBOARD_TESTS_BENCH_DECODE_RANDOM_DECODER_H_
