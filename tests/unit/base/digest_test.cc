#include "base/digest.h"

#include <gtest/gtest.h>

namespace switchboard {
namespace {

// FIPS 180-2, appendix B.
TEST(Sha256, MatchesTheStandardsExamples) {
  EXPECT_EQ(ToHex(Sha256Of("abc")),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ToHex(Sha256Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Sha256, DoesNotDependOnHowTheInputIsCut) {
  Sha256 sha;
  sha.Update("a");
  sha.Update("");
  sha.Update("bc");
  EXPECT_EQ(sha.Finish(), Sha256Of("abc"));
}

}  // namespace
}  // namespace switchboard
