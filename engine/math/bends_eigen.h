// Functions of one number each, and the sum of a row's exponentials: a part of kernels_eigen.h, which includes it
// inside its namespace.

// ---- Sums of exponentials -----------------------------------------------------------------------------------------

// Many terms: they are summed in single precision a stretch at a time.
double log_sum_exp(const float* in, Index n) {
  using namespace Eigen::internal;
  constexpr Index together = 512;
  const float largest = largest_of(in, n);
  const Packet most = pset1<Packet>(largest);
  double sum = 0;
  for (Index begin = 0; begin < n; begin += together) {
    const Index end = begin + together < n ? begin + together : n;
    Packet part = pset1<Packet>(0);
    Index j = begin;
    for (; j + lanes <= end; j += lanes) part = padd(part, exp_of(psub(ploadu<Packet>(in + j), most)));
    if (j < end) part = padd(part, exp_of(psub(load_rest(in + j, end - j), most)));
    sum += static_cast<double>(predux(part));
  }
  return static_cast<double>(largest) + __builtin_log(sum);
}

// ---- Functions of one number --------------------------------------------------------------------------------------

// x · σ(t), where σ(t) = 1 / (1 + exp(−t)), which only takes exponentials of numbers that are not positive.
inline Packet times_sigmoid(const Packet& x, const Packet& t) {
  using namespace Eigen::internal;
  const Packet one = pset1<Packet>(1), e = exp_of(pmin(t, pnegate(t)));
  return pdiv(pmul(x, pselect(pcmp_lt(t, pset1<Packet>(0)), e, one)), padd(one, e));
}

inline Packet silu_of(const Packet& x) {
  return times_sigmoid(x, x);
}

// x · ½ (1 + tanh u) = x · σ(2u).
inline Packet gelu_tanh_of(const Packet& x) {
  using namespace Eigen::internal;
  constexpr float twice = 1.5957691216F;  // 2 √(2/π)
  const Packet cubic = pmadd(pmul(x, x), pset1<Packet>(0.044715F * twice), pset1<Packet>(twice));
  return times_sigmoid(x, pmul(x, cubic));
}

// A number's value does not depend on its place.
template <Packet (*bent)(const Packet&)>
void bend(float* x, Index n) {
  using namespace Eigen::internal;
  Index j = 0;
  for (; j + lanes <= n; j += lanes) pstoreu(x + j, bent(ploadu<Packet>(x + j)));
  if (j < n) store_rest(x + j, n - j, bent(load_rest(x + j, n - j)));
}
