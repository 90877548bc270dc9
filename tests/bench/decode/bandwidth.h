// How fast this machine reads memory.
#ifndef SWITCHBOARD_TESTS_BENCH_DECODE_BANDWIDTH_H_
#define SWITCHBOARD_TESTS_BENCH_DECODE_BANDWIDTH_H_

namespace switchboard::bench {

// Bytes per second at which `threads` threads together read a buffer of 1 GiB, each its own part
// from the first byte to the last: the best of some passes.
double ReadBandwidth(int threads);

}  // namespace switchboard::bench

#endif  // SWITCHBOARD_TESTS_BENCH_DECODE_BANDWIDTH_H_
