// tokenizer_bench TOKENIZER_JSON DOCUMENTS: encodes documents, separated by NUL, one by one on one
// thread, and prints the megabytes (10^6 bytes) per second of processor time of the best of five
// rounds, and the number of ids.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/mapped_file.h"
#include "text/marked_text.h"
#include "text/tokenizer/tokenizer.h"

namespace switchboard::text {
namespace {

constexpr size_t kMaxBytes = size_t{1} << 28;

double ProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

int Run(const std::string& tokenizer_file, const std::string& documents_file) {
  const auto json = ReadFile(tokenizer_file, kMaxBytes), all = ReadFile(documents_file, kMaxBytes);
  for (const absl::Status& status : {json.status(), all.status()}) {
    if (!status.ok()) {
      std::fprintf(stderr, "%s\n", status.ToString().c_str());
      return 1;
    }
  }
  const auto tokenizer = Tokenizer::FromJson(*json);
  if (!tokenizer.ok()) {
    std::fprintf(stderr, "%s\n", tokenizer.status().ToString().c_str());
    return 1;
  }
  std::vector<MarkedText> documents;
  size_t bytes = 0, ids = 0;
  for (const absl::string_view document : absl::StrSplit(*all, '\0')) {
    documents.push_back(MarkedText::Data(document));
    bytes += document.size();
  }
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    ids = 0;
    const double start = ProcessorSeconds();
    for (const MarkedText& document : documents) {
      ids += (*tokenizer)->Encode(document, false).size();
    }
    best = std::min(best, ProcessorSeconds() - start);
  }
  std::printf("%.3f %zu\n", static_cast<double>(bytes) / best / 1e6, ids);
  return 0;
}

}  // namespace
}  // namespace switchboard::text

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: tokenizer_bench TOKENIZER_JSON DOCUMENTS\n");
    return 2;
  }
  return switchboard::text::Run(argv[1], argv[2]);
}
