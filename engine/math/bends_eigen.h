// Functions of one number each, and the sum of a row's exponentials: a part of kernels_eigen.h, which includes it
// inside its namespace.

// ---- Sums of exponentials -----------------------------------------------------------------------------------------

// Many terms: they are summed in single precision a stretch at a time.
double log_sum_exp(const float* in, Index n) {
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
  const Packet one = pset1<Packet>(1), e = exp_of(pmin(t, pnegate(t)));
  return pdiv(pmul(x, pselect(pcmp_lt(t, pset1<Packet>(0)), e, one)), padd(one, e));
}

inline Packet silu_of(const Packet& x) {
  return times_sigmoid(x, x);
}

// x · ½ (1 + tanh u) = x · σ(2u).
inline Packet gelu_tanh_of(const Packet& x) {
  constexpr float twice = 1.5957691216F;  // 2 √(2/π)
  const Packet cubic = pmadd(pmul(x, x), pset1<Packet>(0.044715F * twice), pset1<Packet>(twice));
  return times_sigmoid(x, pmul(x, cubic));
}

// x · Φ(x). Of a = |x|, 1 − Φ(a) is exp(−a²/2) times a polynomial in t = 1 / (1 + 0.26 a) whose greatest relative error
// is least for its degree (2.5e-8 up to a = 14, by weighted least squares repeated), so that what is left of large
// negative numbers keeps its precision.
inline Packet gelu_of(const Packet& x) {
  const Packet one = pset1<Packet>(1), a = pabs(x), t = pdiv(one, pmadd(a, pset1<Packet>(0.26F), one));
  Packet sum = pset1<Packet>(0.0305048235F);
  for (const float term : {-0.152827942F, 0.251488245F, -0.150944056F, 0.160943452F, 0.0510300032F, 0.103029542F,
                           0.103016867F, 0.103759052F})
    sum = pmadd(sum, t, pset1<Packet>(term));
  const Packet past = pmul(pmul(sum, t), exp_of(pmul(pmul(a, a), pset1<Packet>(-0.5F))));
  return pmul(x, pselect(pcmp_lt(x, pset1<Packet>(0)), past, psub(one, past)));
}

// Near 0 the odd polynomial of Moshier's Cephes (tanhf), relative error 1e-7, beyond it 1 − 2 / (exp(2|x|) + 1).
inline Packet tanh_of(const Packet& x) {
  const Packet one = pset1<Packet>(1), a = pabs(x), e = exp_of(pmul(a, pset1<Packet>(-2)));
  const Packet far = pdiv(psub(one, e), padd(one, e)), square = pmul(x, x);
  Packet sum = pset1<Packet>(-5.70498872745e-3F);
  for (const float term : {2.06390887954e-2F, -5.37397155531e-2F, 1.33314422036e-1F, -3.33332819422e-1F})
    sum = pmadd(sum, square, pset1<Packet>(term));
  const Packet near = pmadd(pmul(sum, square), x, x);
  return pselect(pcmp_lt(a, pset1<Packet>(0.625F)), near, pselect(pcmp_lt(x, pset1<Packet>(0)), pnegate(far), far));
}

// x + 1 of x above 0, else exp(x).
inline Packet elu_plus_one_of(const Packet& x) {
  const Packet zero = pset1<Packet>(0);
  return pselect(pcmp_lt(zero, x), padd(x, pset1<Packet>(1)), exp_of(pmin(x, zero)));
}

// A number's value does not depend on its place.
template <Packet (*function)(const Packet&)>
void map_packets(float* x, Index n) {
  Index j = 0;
  for (; j + lanes <= n; j += lanes) pstoreu(x + j, function(ploadu<Packet>(x + j)));
  if (j < n) store_rest(x + j, n - j, function(load_rest(x + j, n - j)));
}
