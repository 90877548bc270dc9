// Attention against the double reference: head shapes, ragged sequences, chunk borders.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/worker/backend/random_rows.h"

namespace switchboard::backend {
namespace {

constexpr int kLayers = 2, kLayer = 1;

std::vector<int32_t> PagesFrom(int32_t first, int64_t tokens) {
  std::vector<int32_t> pages;
  // Descending, so that page order and token order differ.
  for (int64_t i = (tokens + kTileTokens - 1) / kTileTokens; i > 0; --i) {
    pages.push_back(first + static_cast<int32_t>(i) - 1);
  }
  return pages;
}

// Writes and attends all rows of some sequences, `step` rows of each at a time. The values (not the
// queries and keys) are multiplied by `value_scale`.
std::vector<float> AttendInSteps(Backend* backend, const HeadShape& shape,
                                 const std::vector<int64_t>& lengths, int64_t step,
                                 float value_scale = 1.0f) {
  const auto kv = *backend->NewKvPages(shape, kLayers, 128);
  std::vector<OwnedRows> sequences, results;
  std::vector<std::vector<int32_t>> pages;
  int64_t longest = 0;
  for (size_t s = 0; s < lengths.size(); ++s) {
    sequences.push_back(OwnedRows::Random(lengths[s], shape.qkv_width(), static_cast<uint32_t>(s)));
    const int64_t v_width = int64_t{shape.kv_heads} * shape.head_dim;
    for (int64_t i = 0; i < lengths[s]; ++i) {
      float* v = sequences[s].view().row(i) + shape.qkv_width() - v_width;
      for (int64_t k = 0; k < v_width; ++k) v[k] *= value_scale;
    }
    results.push_back(OwnedRows::Zero(lengths[s], shape.q_width()));
    pages.push_back(PagesFrom(static_cast<int32_t>(s) * 16, lengths[s]));
    longest = std::max(longest, lengths[s]);
  }
  for (int64_t done = 0; done < longest; done += step) {
    OwnedRows batch = OwnedRows::Zero(0, shape.qkv_width());
    std::vector<SequenceRows> rows;
    for (size_t s = 0; s < lengths.size(); ++s) {
      const int64_t count = std::min(step, lengths[s] - done);
      if (count <= 0) continue;
      rows.push_back({batch.rows, count, done, pages[s]});
      const float* from = sequences[s].view().row(done);
      batch.values.insert(batch.values.end(), from, from + count * shape.qkv_width());
      batch.rows += count;
    }
    OwnedRows y = OwnedRows::Zero(batch.rows, shape.q_width());
    backend->WriteKv(batch.view(), shape, rows, kLayer, kv.get());
    backend->PagedAttention(batch.view(), shape, rows, kLayer, *kv, y.view());
    size_t next = 0;
    for (size_t s = 0; s < lengths.size(); ++s) {
      if (done >= lengths[s]) continue;
      const SequenceRows& r = rows[next++];
      std::copy_n(y.view().row(r.row), r.rows * shape.q_width(), results[s].view().row(done));
    }
  }
  std::vector<float> all;
  for (const OwnedRows& r : results) all.insert(all.end(), r.values.begin(), r.values.end());
  return all;
}

class AttentionTest : public testing::TestWithParam<HeadShape> {};

TEST_P(AttentionTest, RaggedSequencesAgreeWithTheDoubleReference) {
  const std::vector<int64_t> lengths = {1, 63, 64, 65, 130, 300};
  ExpectClose(AttendInSteps(NewReferenceBackend().get(), GetParam(), lengths, 1000),
              AttendInSteps(Fast().get(), GetParam(), lengths, 1000), 1e-5);
}

TEST_P(AttentionTest, ResultsDoNotDependOnChunksThreadsOrInstructionSet) {
  const std::vector<int64_t> lengths = {5, 64, 270};
  const std::vector<float> want = AttendInSteps(Fast().get(), GetParam(), lengths, 1000);
  for (const int64_t step : {1, 7, 64, 100}) {
    EXPECT_TRUE(SameBits(want, AttendInSteps(Fast().get(), GetParam(), lengths, step))) << step;
  }
  EXPECT_TRUE(SameBits(want, AttendInSteps(Fast(3).get(), GetParam(), lengths, 33)));
  EXPECT_TRUE(SameBits(want, AttendInSteps(Fast(8).get(), GetParam(), lengths, 1)));
  EXPECT_TRUE(SameBits(want, AttendInSteps(Fast(1, Isa::kScalar).get(), GetParam(), lengths, 50)));
}

// Around the smallest normal number (1.2e-38) it shows whether every path flushes what is below.
TEST_P(AttentionTest, SubnormalsAreFlushedOnEveryPath) {
  const std::vector<int64_t> lengths = {300};
  const std::vector<float> want = AttendInSteps(Fast().get(), GetParam(), lengths, 1, 2e-38f);
  EXPECT_GT(std::count(want.begin(), want.end(), 0.0f), 0);
  EXPECT_TRUE(SameBits(want, AttendInSteps(Fast(8).get(), GetParam(), lengths, 1, 2e-38f)));
  EXPECT_TRUE(
      SameBits(want, AttendInSteps(Fast(1, Isa::kScalar).get(), GetParam(), lengths, 50, 2e-38f)));
}

TEST_P(AttentionTest, FullAttentionAgreesWithTheDoubleReference) {
  HeadShape shape = GetParam();
  shape.window = 0;
  for (const int64_t tokens : {1, 4, 63, 64, 65, 300}) {
    OwnedRows qkv = OwnedRows::Random(tokens, shape.qkv_width(), 9);
    OwnedRows want = OwnedRows::Zero(tokens, shape.q_width()), got = want;
    NewReferenceBackend()->FullAttention(qkv.view(), shape, want.view());
    Fast()->FullAttention(qkv.view(), shape, got.view());
    ExpectClose(want.values, got.values, 1e-5);
    OwnedRows shared = got, scalar = got;
    Fast(4)->FullAttention(qkv.view(), shape, shared.view());
    Fast(1, Isa::kScalar)->FullAttention(qkv.view(), shape, scalar.view());
    EXPECT_TRUE(SameBits(got.values, shared.values));
    EXPECT_TRUE(SameBits(got.values, scalar.values));
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, AttentionTest,
                         testing::Values(HeadShape{1, 1, 4}, HeadShape{4, 2, 24},
                                         HeadShape{6, 2, 32}, HeadShape{30, 1, 12},
                                         HeadShape{3, 3, 17}, HeadShape{4, 2, 24, 1},
                                         HeadShape{6, 2, 32, 56}, HeadShape{4, 2, 16, 64},
                                         HeadShape{2, 1, 8, 65}, HeadShape{4, 4, 8, 200},
                                         HeadShape{4, 2, 16, 1000}),
                         [](const auto& test) {
                           return absl::StrCat(test.param.heads, "_", test.param.kv_heads, "_",
                                               test.param.head_dim, "_", test.param.window);
                         });

// C152: what a failed sequence left in a page must not reach the page's next owner.
TEST(AttentionTest, C152_NanLeftInAPageDoesNotReachTheNextSequence) {
  const HeadShape shape = {4, 2, 24};
  const auto backend = Fast();
  const auto kv = *backend->NewKvPages(shape, 1, 2);
  OwnedRows qkv = OwnedRows::Random(70, shape.qkv_width(), 1);
  OwnedRows y = OwnedRows::Zero(70, shape.q_width());
  const std::vector<int32_t> pages = {0, 1};
  const SequenceRows all = {0, 70, 0, pages}, ten = {0, 10, 0, pages};
  backend->WriteKv(qkv.view(), shape, {ten}, 0, kv.get());
  backend->PagedAttention(qkv.view().slice(0, 10), shape, {ten}, 0, *kv, y.view().slice(0, 10));
  const std::vector<float> want(y.values.begin(), y.values.begin() + 10 * shape.q_width());

  OwnedRows spoilt = qkv;
  std::fill(spoilt.values.begin(), spoilt.values.end(), std::nanf(""));
  backend->WriteKv(spoilt.view(), shape, {all}, 0, kv.get());
  backend->WriteKv(qkv.view(), shape, {ten}, 0, kv.get());
  backend->PagedAttention(qkv.view().slice(0, 10), shape, {ten}, 0, *kv, y.view().slice(0, 10));
  EXPECT_TRUE(SameBits(want.data(), y.values.data(), 10 * shape.q_width()));
}

TEST(AttentionTest, C152_NanInOneSequenceLeavesTheOthersAlone) {
  const HeadShape shape = {4, 2, 16};
  const auto backend = Fast();
  const auto kv = *backend->NewKvPages(shape, 1, 2);
  OwnedRows qkv = OwnedRows::Random(20, shape.qkv_width(), 1);
  OwnedRows want = OwnedRows::Zero(20, shape.q_width()), got = want;
  const std::vector<int32_t> first = {0}, second = {1};
  const std::vector<SequenceRows> both = {{0, 10, 0, first}, {10, 10, 0, second}};
  backend->WriteKv(qkv.view(), shape, both, 0, kv.get());
  backend->PagedAttention(qkv.view(), shape, both, 0, *kv, want.view());
  qkv.view().row(4)[0] = std::nanf("");
  backend->WriteKv(qkv.view(), shape, both, 0, kv.get());
  backend->PagedAttention(qkv.view(), shape, both, 0, *kv, got.view());
  EXPECT_TRUE(std::isnan(got.view().row(4)[0]));
  EXPECT_TRUE(SameBits(want.view().row(10), got.view().row(10), 10 * shape.q_width()));
}

TEST(AttentionTest, WindowOfOneGivesTheTokensOwnValue) {
  const HeadShape shape = {2, 1, 8, 1};
  const auto backend = Fast();
  const auto kv = *backend->NewKvPages(shape, 1, 2);
  OwnedRows qkv = OwnedRows::Random(70, shape.qkv_width(), 1);
  OwnedRows y = OwnedRows::Zero(70, shape.q_width());
  const std::vector<int32_t> pages = {0, 1};
  const std::vector<SequenceRows> all = {{0, 70, 0, pages}};
  backend->WriteKv(qkv.view(), shape, all, 0, kv.get());
  backend->PagedAttention(qkv.view(), shape, all, 0, *kv, y.view());
  for (int64_t i = 0; i < 70; ++i) {
    const float* value = qkv.view().row(i) + shape.q_width() + shape.head_dim;
    EXPECT_TRUE(SameBits(value, y.view().row(i), shape.head_dim)) << i;
    EXPECT_TRUE(SameBits(value, y.view().row(i) + shape.head_dim, shape.head_dim)) << i;
  }
}

// The backend CHECKs the numbers of the pages that it reads.
TEST(AttentionTest, PagesBeforeTheWindowAreNotRead) {
  const HeadShape shape = {2, 1, 8, 20};
  for (const int threads : {1, 4}) {
    const auto backend = Fast(threads);
    const auto kv = *backend->NewKvPages(shape, 1, 1);
    OwnedRows qkv = OwnedRows::Random(1, shape.qkv_width(), 1);
    OwnedRows y = OwnedRows::Zero(1, shape.q_width());
    const std::vector<int32_t> pages = {-1, -1, -1, -1, -1, 0};
    const std::vector<SequenceRows> last = {{0, 1, 5 * kTileTokens + 19, pages}};
    backend->WriteKv(qkv.view(), shape, last, 0, kv.get());
    backend->PagedAttention(qkv.view(), shape, last, 0, *kv, y.view());
    EXPECT_TRUE(std::isfinite(y.values[0]));
  }
}

TEST(AttentionTest, NanBeforeTheWindowStaysThere) {
  const HeadShape shape = {2, 1, 8, 5};
  const auto backend = Fast();
  const auto kv = *backend->NewKvPages(shape, 1, 1);
  OwnedRows qkv = OwnedRows::Random(12, shape.qkv_width(), 1);
  for (int64_t k = 0; k < qkv.width; ++k) qkv.view().row(3)[k] = std::nanf("");
  OwnedRows y = OwnedRows::Zero(12, shape.q_width());
  const std::vector<int32_t> pages = {0};
  const std::vector<SequenceRows> all = {{0, 12, 0, pages}};
  backend->WriteKv(qkv.view(), shape, all, 0, kv.get());
  backend->PagedAttention(qkv.view(), shape, all, 0, *kv, y.view());
  for (int64_t i = 0; i < 12; ++i) {
    EXPECT_EQ(std::isnan(y.view().row(i)[0]), i >= 3 && i < 8) << i;
  }
}

TEST(AttentionTest, CopiedPageServesAnotherSequence) {
  const HeadShape shape = {2, 1, 8};
  const auto backend = Fast();
  const auto kv = *backend->NewKvPages(shape, 1, 2);
  OwnedRows qkv = OwnedRows::Random(31, shape.qkv_width(), 1);
  OwnedRows want = OwnedRows::Zero(1, shape.q_width()), got = want;
  const std::vector<int32_t> first = {0}, second = {1};
  backend->WriteKv(qkv.view(), shape, {SequenceRows{0, 31, 0, first}}, 0, kv.get());
  kv->CopyPage(0, 1, 31);
  const Rows last = qkv.view().slice(30, 1);
  backend->PagedAttention(last, shape, {SequenceRows{0, 1, 30, first}}, 0, *kv, want.view());
  backend->PagedAttention(last, shape, {SequenceRows{0, 1, 30, second}}, 0, *kv, got.view());
  EXPECT_TRUE(SameBits(want.values, got.values));
}

}  // namespace
}  // namespace switchboard::backend
