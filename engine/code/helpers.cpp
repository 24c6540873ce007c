#include "engine/code/helpers.h"

#include <array>

namespace headlight {

namespace {

constexpr Helper differs{"differs", R"py(def differs(name, cell, found, expected, rounding):
    allowed = rounding + 1e-4 * abs(expected)
    numbers = f"found {found:.9g}, expected {expected:.9g}, allowed difference {allowed:.2g}"
    raise SystemExit(f"{name} differs from the saved step, first at {cell}: {numbers}")
)py"};

constexpr Helper saved{"saved", R"py(def saved(name):
    if name not in arrays:
        raise SystemExit(f"{arrays_file} has no array {name}: write it again with headlight code")
    return arrays[name]
)py"};

}  // namespace

std::span<const Helper> numpy_helpers() {
  static constexpr std::array<Helper, 27> helpers{{
      {"masked_softmax", R"py(def masked_softmax(scores):
    """Softmax over the last axis; a row of nothing but -inf, where no key is visible, becomes zeros."""
    blind = np.all(scores == -np.inf, axis=-1, keepdims=True)
    return np.where(blind, 0.0, softmax(np.where(blind, 0.0, scores)))
)py"},
      {"softmax", R"py(def softmax(scores):
    """Over the last axis; subtracting the maximum changes nothing but keeps exp from overflowing."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
)py"},
      {"share_of", R"py(def share_of(numbers, whole):
    """Divided by the whole; nothing of nothing is 0."""
    return np.where(whole == 0, 0.0, numbers / np.where(whole == 0, 1.0, whole))
)py"},
      {"window_places", R"py(def window_places(rows, columns, side, shift):
    """Of each pixel, its place in its window of the rolled picture."""
    i, j = (np.arange(rows)[:, None] - shift) % rows, (np.arange(columns) - shift) % columns
    return (i % side * side + j % side).reshape(-1)
)py"},
      {"window_pixels", R"py(def window_pixels(rows, columns, side, shift):
    """Of each pixel, those of its window in the rolled picture, row by row."""
    i, j = np.divmod(np.arange(rows * columns), columns)
    i, j = ((i - shift) % rows // side * side)[:, None], ((j - shift) % columns // side * side)[:, None]
    down, right = np.divmod(np.arange(side * side), side)
    return (i + down + shift) % rows * columns + (j + right + shift) % columns
)py"},
      {"window_numbers", R"py(def window_numbers(rows, columns, side, shift):
    """Of each pixel, which window of the rolled picture it is in."""
    i, j = (np.arange(rows)[:, None] - shift) % rows, (np.arange(columns) - shift) % columns
    return i // side * (columns // side) + j // side
)py"},
      {"window_offsets", R"py(def window_offsets(side):
    """Of each two places in a window, the row of a table with one for each offset."""
    i, j = np.divmod(np.arange(side * side), side)
    return (i[:, None] - i + side - 1) * (2 * side - 1) + j[:, None] - j + side - 1
)py"},
      {"across_cut", R"py(def across_cut(rows, columns, side, shift):
    """Whether a pixel and one of its window lie on different sides of the cut in the circle."""
    part = lambda at, size: (at >= size - side).astype(int) + (at >= size - shift)
    i, j = np.divmod(np.arange(rows * columns), columns)
    region = 3 * part((i - shift) % rows, rows) + part((j - shift) % columns, columns)
    i, j = ((i - shift) % rows // side * side)[:, None], ((j - shift) % columns // side * side)[:, None]
    down, right = np.divmod(np.arange(side * side), side)
    return region[:, None] != region[(i + down + shift) % rows * columns + (j + right + shift) % columns]
)py"},
      {"softmax_with_sink", R"py(def softmax_with_sink(scores, sinks):
    """Softmax over the last axis with one term more in the sum, of (M); that term's own share is left out."""
    sinks = np.repeat(sinks, scores.shape[1] // len(sinks))[:, None, None]
    most = np.maximum(scores.max(axis=-1, keepdims=True), sinks)
    powers = np.exp(scores - most)
    return powers / (powers.sum(axis=-1, keepdims=True) + np.exp(sinks - most))
)py"},
      {"sparsemax", R"py(def sparsemax(scores):
    """What is above a threshold by which each row adds up to 1; a row of nothing but -inf becomes zeros."""
    ordered = -np.sort(-scores, axis=-1)
    sums, count = np.cumsum(np.where(ordered == -np.inf, 0.0, ordered), axis=-1), np.arange(1, scores.shape[-1] + 1)
    kept = np.maximum((1 + count * ordered > sums).sum(axis=-1, keepdims=True), 1)
    return np.maximum(scores - (np.take_along_axis(sums, kept - 1, -1) - 1) / kept, 0.0)
)py"},
      {"entmax15", R"py(def entmax15(scores):
    """What of half a score is above a threshold, squared, so that each row adds up to 1."""
    largest = scores.max(axis=-1, keepdims=True)
    halves = (scores - np.where(largest == -np.inf, 0.0, largest)) / 2
    ordered = -np.sort(-halves, axis=-1)
    seen, count = np.where(ordered == -np.inf, 0.0, ordered), np.arange(1, scores.shape[-1] + 1)
    mean, squares = np.cumsum(seen, axis=-1) / count, np.cumsum(seen**2, axis=-1)
    thresholds = mean - np.sqrt(np.maximum(1 - squares + count * mean**2, 0.0) / count)
    kept = np.maximum((thresholds <= ordered).sum(axis=-1, keepdims=True), 1)
    return np.maximum(halves - np.take_along_axis(thresholds, kept - 1, -1), 0.0) ** 2
)py"},
      {"t5_buckets", R"py(def t5_buckets(offsets, buckets, max_distance, both):
    """Each distance below half of a side's buckets has its own; the rest widen up to max_distance."""
    if both:
        buckets //= 2
        after, distance = (offsets > 0) * buckets, np.abs(offsets)
    else:
        after, distance = 0, np.maximum(-offsets, 0)
    exact = buckets // 2
    share = np.log(np.maximum(distance, exact) / exact) / np.log(max_distance / exact)
    far = np.minimum(exact + np.floor((buckets - exact) * share + 1e-6).astype(int), buckets - 1)
    return after + np.where(distance < exact, distance, far)
)py"},
      {"gelu", R"py(def gelu(x):
    """x times the share of normal numbers that are smaller."""
    from math import erf

    return x / 2 * (1 + np.vectorize(erf)(x / 2**0.5))
)py"},
      {"gelu_tanh", R"py(def gelu_tanh(x):
    return x / 2 * (1 + np.tanh((2 / np.pi) ** 0.5 * (x + 0.044715 * x**3)))
)py"},
      {"silu", R"py(def silu(x):
    return x / (1 + np.exp(-x))
)py"},
      {"quick_gelu", R"py(def quick_gelu(x):
    return x / (1 + np.exp(-1.702 * x))
)py"},
      {"layer_norm", R"py(def layer_norm(x, gamma, beta, epsilon=1e-5):
    mean, variance = x.mean(axis=-1, keepdims=True), x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta
)py"},
      {"batch_norm", R"py(def batch_norm(x, gamma, beta, mean, variance, epsilon=1e-5):
    """x (B, C, ...) by the statistics of training, (C,) each."""
    gamma, beta, mean, variance = (a.reshape(-1, *[1] * (x.ndim - 2)) for a in (gamma, beta, mean, variance))
    return (x - mean) / np.sqrt(variance + epsilon) * gamma + beta
)py"},
      {"max_pool", R"py(def max_pool(x, cell):
    """x (B, C, ...): the largest number of each cell of positions; what fills no cell is left out."""
    for axis, size in enumerate(cell, start=2):
        count = x.shape[axis] // size
        x = x.take(np.arange(count * size), axis)
        x = x.reshape(*x.shape[:axis], count, size, *x.shape[axis + 1 :]).max(axis=axis + 1)
    return x
)py"},
      {"windows", R"py(def windows(x, grid, extent):
    """x (B, M, H*W, d) -> (B, M, H*W, extent*extent, d): the window round each pixel, zeros outside the picture."""
    b, m, n, d = x.shape
    reach = [(extent // 2, extent // 2)] * 2
    x = np.pad(x.reshape(b, m, *grid, d), [(0, 0), (0, 0), *reach, (0, 0)])
    x = np.lib.stride_tricks.sliding_window_view(x, (extent, extent), axis=(2, 3))  # (b, m, *grid, d, k, k)
    return np.moveaxis(x, 4, -1).reshape(b, m, n, extent * extent, d)
)py"},
      {"uniform", R"py(def uniform(scores):
    """The same weight for each visible key of a row; keys whose score is -inf get 0."""
    visible = scores != -np.inf
    return visible / np.maximum(visible.sum(axis=-1, keepdims=True), 1)
)py"},
      {"one_hot", R"py(def one_hot(weights, scores, key):
    """The whole weight at one key; a row that hides it, where its score is -inf, stays as it is."""
    return np.where(scores[..., key : key + 1] != -np.inf, np.arange(weights.shape[-1]) == key, weights)
)py"},
      {"permuted", R"py(def permuted(weights, scores, order):
    """The weights of each row's visible keys, taken in the order given; keys whose score is -inf stay as they are."""
    hidden, order = scores == -np.inf, np.array(order)
    to = np.argsort(hidden, axis=-1, kind="stable")
    taken = order[np.argsort(hidden[..., order], axis=-1, kind="stable")]
    result = np.empty_like(weights)
    np.put_along_axis(result, to, np.take_along_axis(weights, taken, -1), -1)
    return np.where(hidden, weights, result)
)py"},
      {"rotary", R"py(def rotary(x, places, frequencies, interleaved):
    """x (B, M, n, d): pairs of its first channels turned by place times frequency; the others stay."""
    r = 2 * len(frequencies)
    pairs = (slice(0, r, 2), slice(1, r, 2)) if interleaved else (slice(0, r // 2), slice(r // 2, r))
    a, b, angle = x[..., pairs[0]], x[..., pairs[1]], places[:, None] * frequencies
    turned = x.copy()
    turned[..., pairs[0]] = a * np.cos(angle) - b * np.sin(angle)
    turned[..., pairs[1]] = a * np.sin(angle) + b * np.cos(angle)
    return turned
)py"},
      {"checked", R"py(def checked(recomputed, name, size=None):
    """Compares a step with the saved one and goes on from that: rounding in float32 does not add up.

    It may differ by 1e-4 of a number and, as sums of large products may come out small, by 2e-5 of the step's size:
    its largest number and at most 1, unless given.
    """
    expected = saved(name)
    if recomputed.shape != expected.shape:
        raise SystemExit(f"{name} differs from the saved step: found {recomputed.shape}, expected {expected.shape}")
    largest = np.abs(expected[np.isfinite(expected)]).max(initial=0.0)
    rounding = 2e-5 * (min(1.0, float(largest)) if size is None else size)
    same = np.isclose(recomputed, expected, rtol=1e-4, atol=rounding, equal_nan=True)
    overflow = ~np.isfinite(expected) & ~(np.abs(recomputed) <= np.finfo(np.float32).max)
    for cell in np.argwhere(~same & ~overflow)[:1]:
        differs(name, cell.tolist(), float(recomputed[tuple(cell)]), float(expected[tuple(cell)]), rounding)
    if not same.all():
        not_compared[name] = int((~same).sum())
    return expected
)py"},
      differs,
      saved,
  }};
  return helpers;
}

std::span<const Helper> torch_helpers() {
  static constexpr std::array<Helper, 20> helpers{{
      {"masked_softmax", R"py(def masked_softmax(scores):
    """Softmax over the last axis; a row of nothing but -inf, where no key is visible, becomes zeros."""
    blind = (scores == float("-inf")).all(dim=-1, keepdim=True)
    return torch.softmax(scores.masked_fill(blind, 0.0), dim=-1).masked_fill(blind, 0.0)
)py"},
      {"t5_buckets", R"py(def t5_buckets(offsets, buckets, max_distance, both):
    """Each distance below half of a side's buckets has its own; the rest widen up to max_distance."""
    if both:
        buckets //= 2
        after, distance = (offsets > 0) * buckets, offsets.abs()
    else:
        after, distance = 0, (-offsets).clamp(min=0)
    exact = buckets // 2
    share = torch.log(distance.clamp(min=exact).double() / exact) / np.log(max_distance / exact)
    far = (exact + torch.floor((buckets - exact) * share + 1e-6).long()).clamp(max=buckets - 1)
    return after + torch.where(distance < exact, distance, far)
)py"},
      {"share_of", R"py(def share_of(numbers, whole):
    """Divided by the whole; nothing of nothing is 0."""
    return torch.where(whole == 0, 0.0, numbers / torch.where(whole == 0, 1.0, whole))
)py"},
      {"window_places", R"py(def window_places(rows, columns, side, shift):
    """Of each pixel, its place in its window of the rolled picture."""
    i, j = (torch.arange(rows)[:, None] - shift) % rows, (torch.arange(columns) - shift) % columns
    return (i % side * side + j % side).reshape(-1)
)py"},
      {"window_pixels", R"py(def window_pixels(rows, columns, side, shift):
    """Of each pixel, those of its window in the rolled picture, row by row."""
    i, j = (torch.arange(rows * columns) // columns, torch.arange(rows * columns) % columns)
    i, j = ((i - shift) % rows // side * side)[:, None], ((j - shift) % columns // side * side)[:, None]
    down, right = (torch.arange(side * side) // side, torch.arange(side * side) % side)
    return (i + down + shift) % rows * columns + (j + right + shift) % columns
)py"},
      {"window_numbers", R"py(def window_numbers(rows, columns, side, shift):
    """Of each pixel, which window of the rolled picture it is in."""
    i, j = (torch.arange(rows)[:, None] - shift) % rows, (torch.arange(columns) - shift) % columns
    return i // side * (columns // side) + j // side
)py"},
      {"window_offsets", R"py(def window_offsets(side):
    """Of each two places in a window, the row of a table with one for each offset."""
    i, j = (torch.arange(side * side) // side, torch.arange(side * side) % side)
    return (i[:, None] - i + side - 1) * (2 * side - 1) + j[:, None] - j + side - 1
)py"},
      {"across_cut", R"py(def across_cut(rows, columns, side, shift):
    """Whether a pixel and one of its window lie on different sides of the cut in the circle."""
    part = lambda at, size: (at >= size - side).int() + (at >= size - shift)
    i, j = (torch.arange(rows * columns) // columns, torch.arange(rows * columns) % columns)
    region = 3 * part((i - shift) % rows, rows) + part((j - shift) % columns, columns)
    i, j = ((i - shift) % rows // side * side)[:, None], ((j - shift) % columns // side * side)[:, None]
    down, right = (torch.arange(side * side) // side, torch.arange(side * side) % side)
    return region[:, None] != region[(i + down + shift) % rows * columns + (j + right + shift) % columns]
)py"},
      {"quick_gelu", R"py(def quick_gelu(x):
    return x * torch.sigmoid(1.702 * x)
)py"},
      {"softmax_with_sink", R"py(def softmax_with_sink(scores, sinks):
    """Softmax over the last axis with one term more in the sum, of (M); that term's own share is left out."""
    sinks = sinks.repeat_interleave(scores.shape[1] // len(sinks))[:, None, None].expand(*scores.shape[:-1], 1)
    return torch.softmax(torch.cat([scores, sinks], dim=-1), dim=-1)[..., :-1]
)py"},
      {"sparsemax", R"py(def sparsemax(scores):
    """What is above a threshold by which each row adds up to 1; a row of nothing but -inf becomes zeros."""
    ordered = scores.sort(dim=-1, descending=True).values
    sums = ordered.masked_fill(ordered == float("-inf"), 0.0).cumsum(-1)
    count = torch.arange(1, scores.shape[-1] + 1)
    kept = (1 + count * ordered > sums).sum(-1, keepdim=True).clamp(min=1)
    return (scores - (sums.gather(-1, kept - 1) - 1) / kept).clamp(min=0.0)
)py"},
      {"entmax15", R"py(def entmax15(scores):
    """What of half a score is above a threshold, squared, so that each row adds up to 1."""
    largest = scores.amax(dim=-1, keepdim=True)
    halves = (scores - largest.masked_fill(largest == float("-inf"), 0.0)) / 2
    ordered = halves.sort(dim=-1, descending=True).values
    seen, count = ordered.masked_fill(ordered == float("-inf"), 0.0), torch.arange(1, scores.shape[-1] + 1)
    mean, squares = seen.cumsum(-1) / count, (seen**2).cumsum(-1)
    thresholds = mean - ((1 - squares + count * mean**2).clamp(min=0.0) / count) ** 0.5
    kept = (thresholds <= ordered).sum(-1, keepdim=True).clamp(min=1)
    return (halves - thresholds.gather(-1, kept - 1)).clamp(min=0.0) ** 2
)py"},
      {"windows", R"py(def windows(x, grid, extent):
    """x (B, M, H*W, d) -> (B, M, H*W, extent*extent, d): the window round each pixel, zeros outside the picture."""
    b, m, n, d = x.shape
    x = x.transpose(2, 3).reshape(b * m, d, *grid)
    x = F.unfold(x, extent, padding=extent // 2)  # (b * m, d * extent * extent, n)
    return x.reshape(b, m, d, extent * extent, n).permute(0, 1, 4, 3, 2)
)py"},
      {"uniform", R"py(def uniform(scores):
    """The same weight for each visible key of a row; keys whose score is -inf get 0."""
    visible = (scores != float("-inf")).double()
    return visible / visible.sum(-1, keepdim=True).clamp(min=1)
)py"},
      {"one_hot", R"py(def one_hot(weights, scores, key):
    """The whole weight at one key; a row that hides it, where its score is -inf, stays as it is."""
    hot = (torch.arange(weights.shape[-1]) == key).double()
    return torch.where(scores[..., key : key + 1] != float("-inf"), hot, weights)
)py"},
      {"permuted", R"py(def permuted(weights, scores, order):
    """The weights of each row's visible keys, taken in the order given; keys whose score is -inf stay as they are."""
    hidden, order = scores == float("-inf"), torch.tensor(order)
    to = torch.argsort(hidden.int(), dim=-1, stable=True)
    taken = order[torch.argsort(hidden[..., order].int(), dim=-1, stable=True)]
    result = torch.empty_like(weights).scatter(-1, to, weights.gather(-1, taken))
    return torch.where(hidden, weights, result)
)py"},
      {"rotary", R"py(def rotary(x, places, frequencies, interleaved):
    """x (B, M, n, d): pairs of its first channels turned by place times frequency; the others stay."""
    r = 2 * len(frequencies)
    pairs = (slice(0, r, 2), slice(1, r, 2)) if interleaved else (slice(0, r // 2), slice(r // 2, r))
    a, b, angle = x[..., pairs[0]], x[..., pairs[1]], places[:, None].double() * frequencies
    turned = x.clone()
    turned[..., pairs[0]] = a * torch.cos(angle) - b * torch.sin(angle)
    turned[..., pairs[1]] = a * torch.sin(angle) + b * torch.cos(angle)
    return turned
)py"},
      {"checked", R"py(def checked(recomputed, name, size=None):
    """Compares a step with the saved one and goes on from that: rounding in float32 does not add up.

    It may differ by 1e-4 of a number and, as sums of large products may come out small, by 2e-5 of the step's size:
    its largest number and at most 1, unless given.
    """
    expected = saved(name)
    if recomputed.shape != expected.shape:
        shapes = f"found {tuple(recomputed.shape)}, expected {tuple(expected.shape)}"
        raise SystemExit(f"{name} differs from the saved step: {shapes}")
    finite = expected[torch.isfinite(expected)].abs()
    largest = float(finite.max()) if len(finite) else 0.0
    rounding = 2e-5 * (min(1.0, largest) if size is None else size)
    same = torch.isclose(recomputed, expected, rtol=1e-4, atol=rounding, equal_nan=True)
    overflow = ~torch.isfinite(expected) & ~(recomputed.abs() <= torch.finfo(torch.float32).max)
    for cell in torch.argwhere(~same & ~overflow)[:1]:
        differs(name, cell.tolist(), float(recomputed[tuple(cell)]), float(expected[tuple(cell)]), rounding)
    if not same.all():
        not_compared[name] = int((~same).sum())
    return expected
)py"},
      differs,
      saved,
  }};
  return helpers;
}

}  // namespace headlight
