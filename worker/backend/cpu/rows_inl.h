// Norms and activations, a row at a time; included after a lanes_*.h and math_inl.h, names local to
// that file.
#ifndef SWITCHBOARD_WORKER_BACKEND_CPU_ROWS_INL_H_
#define SWITCHBOARD_WORKER_BACKEND_CPU_ROWS_INL_H_

namespace switchboard::backend {
namespace {

// The last lanes of a row that is no multiple of 16; lanes behind `n` are `fill`.
inline Lanes LoadTail(const float* x, int64_t n, float fill) {
  float all[kPanel];
  for (int64_t i = 0; i < kPanel; ++i) all[i] = i < n ? x[i] : fill;
  return Load(all);
}

inline void StoreTail(float* y, int64_t n, const Lanes& value) {
  float all[kPanel];
  Store(all, value);
  for (int64_t i = 0; i < n; ++i) y[i] = all[i];
}

// f(offset, load, store) for each 16 elements of a row of n.
template <typename F>
inline void ForEachSixteen(int64_t n, F f) {
  int64_t i = 0;
  for (; i + kPanel <= n; i += kPanel) {
    f(i, [](const float* p) { return Load(p); }, [](float* p, const Lanes& v) { Store(p, v); });
  }
  const int64_t left = n - i;
  if (left == 0) return;
  f(
      i, [left](const float* p) { return LoadTail(p, left, 0.0f); },
      [left](float* p, const Lanes& v) { StoreTail(p, left, v); });
}

void RmsNorm(const float* x, const float* weight, float eps, int64_t n, float* y) {
  Lanes squares = Broadcast(0.0f);
  ForEachSixteen(n, [&](int64_t i, auto load, auto) {
    const Lanes v = load(x + i);
    squares = Fma(v, v, squares);
  });
  const float mean = SumOfLanes(squares) / static_cast<float>(n);
  const Lanes inverse = Broadcast(1.0f / __builtin_sqrtf(mean + eps));
  ForEachSixteen(n, [&](int64_t i, auto load, auto store) {
    store(y + i, Mul(Mul(load(x + i), inverse), load(weight + i)));
  });
}

void LayerNorm(const float* x, const float* weight, const float* bias, float eps, int64_t n,
               float* y) {
  Lanes sum = Broadcast(0.0f);
  ForEachSixteen(n, [&](int64_t i, auto load, auto) { sum = Add(sum, load(x + i)); });
  const float mean_value = SumOfLanes(sum) / static_cast<float>(n);
  const Lanes mean = Broadcast(mean_value);
  Lanes squares = Broadcast(0.0f);
  int64_t i = 0;
  for (; i + kPanel <= n; i += kPanel) {
    const Lanes d = Sub(Load(x + i), mean);
    squares = Fma(d, d, squares);
  }
  if (i < n) {  // lanes behind the row hold the mean and add nothing
    const Lanes d = Sub(LoadTail(x + i, n - i, mean_value), mean);
    squares = Fma(d, d, squares);
  }
  const float variance = SumOfLanes(squares) / static_cast<float>(n);
  const Lanes inverse = Broadcast(1.0f / __builtin_sqrtf(variance + eps));
  ForEachSixteen(n, [&](int64_t j, auto load, auto store) {
    store(y + j, Fma(Mul(Sub(load(x + j), mean), inverse), load(weight + j), load(bias + j)));
  });
}

void SiluMul(const float* gate, const float* up, int64_t n, float* y) {
  ForEachSixteen(n, [&](int64_t i, auto load, auto store) {
    const Lanes g = load(gate + i);
    const Lanes denominator = Add(Broadcast(1.0f), Exp(Sub(Broadcast(0.0f), g)));
    store(y + i, Mul(Div(g, denominator), load(up + i)));
  });
}

void Gelu(float* x, int64_t n) {
  ForEachSixteen(n, [&](int64_t i, auto load, auto store) {
    const Lanes v = load(x + i);
    const Lanes erf = Erf(Mul(v, Broadcast(0.707106781f)));
    store(x + i, Mul(Mul(v, Broadcast(0.5f)), Add(Broadcast(1.0f), erf)));
  });
}

}  // namespace
}  // namespace switchboard::backend

#endif  // SWITCHBOARD_WORKER_BACKEND_CPU_ROWS_INL_H_
