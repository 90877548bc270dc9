#include "text/tokenizer/bpe.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace switchboard::text {
namespace {

using Ids = std::vector<int32_t>;

// A vocabulary over the letters a.. with ids 0.., whose merges are given as pairs of ids; the n-th
// merge makes the next free id, unless that text has one already.
struct Grammar {
  std::vector<BytesAndId> tokens;
  std::map<std::pair<int32_t, int32_t>, std::pair<uint32_t, int32_t>> merges;  // to rank and result
  BpeOptions options;

  explicit Grammar(int letters) {
    options.byte_ids.fill(-1);
    for (int i = 0; i < letters; ++i) {
      options.byte_ids[static_cast<size_t>('a' + i)] = i;
      tokens.emplace_back(std::string(1, static_cast<char>('a' + i)), i);
    }
  }

  void Merge(int32_t left, int32_t right) {
    const std::string text =
        tokens[static_cast<size_t>(left)].first + tokens[static_cast<size_t>(right)].first;
    int32_t result = -1;
    for (const auto& [bytes, id] : tokens) {
      if (bytes == text) result = id;
    }
    if (result < 0) {
      result = static_cast<int32_t>(tokens.size());
      tokens.emplace_back(text, result);
    }
    merges.try_emplace({left, right}, static_cast<uint32_t>(merges.size()), result);
  }

  Bpe Build() const {
    MergeTable table(merges.size());
    for (const auto& [pair, merge] : merges) {
      table.Insert(pair.first, pair.second, MakeMerge(merge.first, merge.second));
    }
    return Bpe(options, std::move(table), tokens);
  }

  // The definition, word by word.
  Ids Naive(const std::string& text) const {
    Ids ids;
    for (const char c : text) ids.push_back(options.byte_ids[static_cast<unsigned char>(c)]);
    while (true) {
      size_t best = ids.size();
      std::pair<uint32_t, int32_t> merge{~0u, -1};
      for (size_t i = 0; i + 1 < ids.size(); ++i) {
        const auto found = merges.find({ids[i], ids[i + 1]});
        if (found != merges.end() && found->second.first < merge.first) {
          best = i;
          merge = found->second;
        }
      }
      if (best == ids.size()) return ids;
      ids[best] = merge.second;
      ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    }
  }
};

Ids Encode(const Bpe& bpe, absl::string_view text) {
  Bpe::Scratch scratch;
  Ids ids;
  bpe.Encode(text, &scratch, &ids);
  return ids;
}

TEST(Bpe, MergesTheLowestRankFirstAndTheLeftmostOfEquals) {
  Grammar grammar(3);
  grammar.Merge(1, 2);  // 3: bc
  grammar.Merge(0, 1);  // 4: ab
  grammar.Merge(0, 0);  // 5: aa
  const Bpe bpe = grammar.Build();
  EXPECT_EQ(Encode(bpe, "abc"), (Ids{0, 3}));
  EXPECT_EQ(Encode(bpe, "aba"), (Ids{4, 0}));
  EXPECT_EQ(Encode(bpe, "aaa"), (Ids{5, 0}));
}

TEST(Bpe, DropsBytesWithoutATokenAndJoinsTheirNeighbours) {
  Grammar grammar(2);
  grammar.Merge(0, 1);  // 2: ab
  EXPECT_EQ(Encode(grammar.Build(), "a-b-"), (Ids{2}));
}

TEST(Bpe, WritesTheUnknownTokenForBytesWithoutOne) {
  Grammar grammar(2);
  grammar.options.unknown_id = 9;
  EXPECT_EQ(Encode(grammar.Build(), "a--b"), (Ids{0, 9, 9, 1}));
  grammar.options.fuse_unknown = true;
  EXPECT_EQ(Encode(grammar.Build(), "a--b-"), (Ids{0, 9, 1, 9}));
}

TEST(Bpe, TakesAWholeTokenOnlyWhenToldToIgnoreMerges) {
  Grammar grammar(3);
  grammar.tokens.emplace_back("abc", 3);  // no merge leads to it
  EXPECT_EQ(Encode(grammar.Build(), "abc"), (Ids{0, 1, 2}));
  grammar.options.ignore_merges = true;
  EXPECT_EQ(Encode(grammar.Build(), "abc"), (Ids{3}));
  EXPECT_EQ(Encode(grammar.Build(), "abca"), (Ids{0, 1, 2, 0}));
}

TEST(Bpe, AgreesWithTheDefinitionOnRandomGrammarsAndTexts) {
  std::mt19937 random(1);
  const auto below = [&](size_t n) { return static_cast<int32_t>(random() % n); };
  for (int round = 0; round < 60; ++round) {
    Grammar grammar(2 + below(4));
    const int32_t letters = static_cast<int32_t>(grammar.tokens.size());
    for (int i = 0; i < 40; ++i) {
      grammar.Merge(below(grammar.tokens.size()), below(grammar.tokens.size()));
    }
    const Bpe bpe = grammar.Build();
    for (const int longest : {3, 12, 100, 600}) {
      for (int i = 0; i < 8; ++i) {
        // Every other text has the full length, so that both ways of merging are taken for certain.
        const int length = i % 2 == 0 ? longest : 1 + below(static_cast<size_t>(longest));
        std::string text(static_cast<size_t>(length), 'a');
        for (char& c : text) c = static_cast<char>('a' + below(static_cast<size_t>(letters)));
        ASSERT_EQ(Encode(bpe, text), grammar.Naive(text)) << "round " << round << ": " << text;
      }
    }
  }
}

TEST(Bpe, MergesAMegabyteWithoutQuadraticWork) {
  Grammar grammar(1);
  grammar.Merge(0, 0);
  grammar.Merge(1, 1);
  grammar.Merge(2, 2);  // 3: eight letters
  EXPECT_EQ(Encode(grammar.Build(), std::string(1'000'000, 'a')), Ids(125'000, 3));
}

TEST(MergesByRank, MergeTheConcatenationOfLowestRank) {
  // Ranks: a b c = 0 1 2, bc = 3, ab = 4, abc = 5.
  const std::vector<BytesAndId> tokens = {{"a", 0},  {"b", 1},  {"c", 2},
                                          {"bc", 3}, {"ab", 4}, {"abc", 5}};
  const MergeTable merges = MergesByRank(tokens);
  EXPECT_EQ(merges.Find(1, 2), MakeMerge(3, 3));
  EXPECT_EQ(merges.Find(0, 1), MakeMerge(4, 4));
  EXPECT_EQ(merges.Find(0, 3), MakeMerge(5, 5));
  EXPECT_EQ(merges.Find(4, 2), MakeMerge(5, 5));
  EXPECT_EQ(merges.Find(2, 1), kNoMerge);
}

TEST(MergeTable, GivesARepeatedPairItsLastMerge) {
  MergeTable table(2);
  table.Insert(1, 2, MakeMerge(0, 7));
  table.Insert(1, 2, MakeMerge(1, 8));
  EXPECT_EQ(table.Find(1, 2), MakeMerge(1, 8));
  EXPECT_EQ(table.Find(2, 1), kNoMerge);
}

TEST(MergeTable, FindsNothingWhenItIsEmpty) { EXPECT_EQ(MergeTable(0).Find(0, 0), kNoMerge); }

}  // namespace
}  // namespace switchboard::text
