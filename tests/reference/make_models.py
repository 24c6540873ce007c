#!/usr/bin/python3
"""Reference cases of model folders: tests/reference/models/NAME/{config.json,model.safetensors,input.json,expect.npz}.

Each architecture once more in NumPy, in double precision, straight from the arrays under the names that the files have; what the
engine goes through (layouts, heads cut out, operations of its own) is not here. The same files come out each time.
"""
import json
import math
import pathlib

import numpy as np

from cases import save
from make_state_dict import write_safetensors

HERE = pathlib.Path(__file__).parent / "models"
D, HEADS, FF, LAYERS, VOCABULARY = 8, 2, 12, 2, 11


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    return np.vectorize(lambda v: v * 0.5 * (1 + math.erf(v / math.sqrt(2))))(x)


def gelu_tanh(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)))


def silu(x):
    return x / (1 + np.exp(-x))


def layer_norm(x, gamma, beta, epsilon):
    centred = x - x.mean(-1, keepdims=True)
    return centred / np.sqrt((centred ** 2).mean(-1, keepdims=True) + epsilon) * gamma + beta


def rms_norm(x, gamma, epsilon):
    return x / np.sqrt((x ** 2).mean(-1, keepdims=True) + epsilon) * gamma


def turned(x, angles):
    """x (B, M, n, d'): channel c and c + r/2 of the first r are a pair, turned by angles (n, r/2)."""
    half = angles.shape[1]
    a, b, rest = x[..., :half], x[..., half:2 * half], x[..., 2 * half:]
    return np.concatenate([a * np.cos(angles) - b * np.sin(angles), b * np.cos(angles) + a * np.sin(angles), rest], -1)


def attention(q, k, v, heads, visible=None, scale=None, angles=None, off=()):
    """q (B, n, M·d'), k and v (B, n, G·d') → what the heads hand on, side by side, and their weights."""
    batch, n, wide = q.shape
    width = wide // heads
    split = lambda x: x.reshape(batch, n, -1, width).transpose(0, 2, 1, 3)
    q, k, v = split(q), split(k), split(v)
    if angles is not None:
        q, k = turned(q, angles), turned(k, angles)
    group = heads // k.shape[1]
    k, v = np.repeat(k, group, 1), np.repeat(v, group, 1)
    scores = q @ k.transpose(0, 1, 3, 2) * (width ** -0.5 if scale is None else scale)
    if visible is not None:
        scores = np.where(visible, scores, -np.inf)
    weights = softmax(scores)
    out = weights @ v
    for head in off:
        out[:, head] = 0
    return out.transpose(0, 2, 1, 3).reshape(batch, n, wide), weights


def causal(n, window=None):
    i, j = np.arange(n)[:, None], np.arange(n)[None]
    return (j <= i) & (i - j < (window or n))


class Arrays(dict):
    """Random numbers by the names of the file; linear maps as nn.Linear has them."""

    def __init__(self, seed):
        super().__init__()
        self.rng = np.random.default_rng(seed)

    def draw(self, name, *shape, scale=0.5, around=0.0):
        self[name] = (around + scale * self.rng.standard_normal(shape)).astype(np.float32).astype(float)

    def linear(self, name, into, out, bias=True):
        self.draw(name + ".weight", out, into)
        if bias:
            self.draw(name + ".bias", out)

    def norm(self, name, beta=True):
        self.draw(name + ".weight", D, around=1, scale=0.2)
        if beta:
            self.draw(name + ".bias", D, scale=0.2)

    def of(self, name, x):
        return x @ self[name + ".weight"].T + self.get(name + ".bias", 0)

    def normed(self, name, x, epsilon):
        return layer_norm(x, self[name + ".weight"], self[name + ".bias"], epsilon)


def top(steps, name, probabilities, logits, k=3):
    p = softmax(logits)
    order = np.argsort(-logits, -1, kind="stable")[..., :k]
    steps[name], steps[probabilities] = order, np.take_along_axis(p, order, -1)


def begin(steps, ids, x):
    steps["token_ids"], steps["embeddings"] = ids, x


def write(name, config, arrays, inputs, steps, params=None):
    folder = HERE / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(json.dumps(config, indent=1) + "\n")
    write_safetensors(folder / "model.safetensors", arrays)
    experiment = {"headlight": 1, "model": ".", "inputs": inputs, "params": {"top": 3, **(params or {})}}
    (folder / "input.json").write_text(json.dumps(experiment) + "\n")
    save(folder / "expect.npz", steps)


def divergence(p, other):
    """Σ p ln(p / p′), the mean over rows."""
    p, other = softmax(p), softmax(other)
    return (p * np.log(p / other)).sum(-1).mean()


def gpt2(a, ids, off, epsilon=1e-5, by_layer=True):
    """off: pairs of a layer and a head."""
    steps, n = {}, ids.shape[1]
    x = a["transformer.wte.weight"][ids] + a["transformer.wpe.weight"][:n]
    begin(steps, ids, x)
    for l in range(LAYERS):
        at = f"transformer.h.{l}."
        steps[f"layer{l}/input"] = x
        qkv = a.normed(at + "ln_1", x, epsilon) @ a[at + "attn.c_attn.weight"] + a[at + "attn.c_attn.bias"]
        scale = (D // HEADS) ** -0.5 / (l + 1 if by_layer else 1)
        out, steps[f"layer{l}/weights"] = attention(qkv[..., :D], qkv[..., D:2 * D], qkv[..., 2 * D:], HEADS, causal(n), scale,
                                                    off=[head for layer, head in off if layer == l])
        x = x + out @ a[at + "attn.c_proj.weight"] + a[at + "attn.c_proj.bias"]
        hidden = gelu_tanh(a.normed(at + "ln_2", x, epsilon) @ a[at + "mlp.c_fc.weight"] + a[at + "mlp.c_fc.bias"])
        x = x + hidden @ a[at + "mlp.c_proj.weight"] + a[at + "mlp.c_proj.bias"]
    steps["hidden"], steps["final_norm"] = x, a.normed("transformer.ln_f", x, epsilon)
    steps["logits"] = steps["final_norm"] @ a["transformer.wte.weight"].T
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    return steps


def make_gpt2():
    a = Arrays(1)
    a.draw("transformer.wte.weight", VOCABULARY, D)
    a.draw("transformer.wpe.weight", 9, D)
    for l in range(LAYERS):
        at = f"transformer.h.{l}."
        for name, into, out in (("attn.c_attn", D, 3 * D), ("attn.c_proj", D, D), ("mlp.c_fc", D, FF), ("mlp.c_proj", FF, D)):
            a.draw(at + name + ".weight", into, out)
            a.draw(at + name + ".bias", out)
        a.norm(at + "ln_1"), a.norm(at + "ln_2")
    a.norm("transformer.ln_f")
    ids, off = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]]), [(0, 1)]
    config = {"model_type": "gpt2", "n_embd": D, "n_head": HEADS, "n_layer": LAYERS, "n_positions": 9, "vocab_size": VOCABULARY,
              "scale_attn_by_inverse_layer_idx": True}
    steps = gpt2(a, ids, off)
    steps["measure/ablation"] = [[divergence(steps["logits"], gpt2(a, ids, off + [(l, m)])["logits"]) for m in range(HEADS)]
                                 for l in range(LAYERS)]
    write("gpt2", config, a, {"tokens": {"ids": ids.tolist()}}, steps, {"ablate": off})


def encoder_layers(a, steps, x, names, epsilon):
    """Post-norm layers, by the names of BERT, RoBERTa or DistilBERT."""
    for l in range(LAYERS):
        q, k, v, o, ln, up, down, ln2 = (name.format(l) for name in names)
        steps[f"layer{l}/input"] = x
        out, steps[f"layer{l}/weights"] = attention(a.of(q, x), a.of(k, x), a.of(v, x), HEADS)
        y = a.normed(ln, x + a.of(o, out), epsilon)
        x = a.normed(ln2, y + a.of(down, gelu(a.of(up, y))), epsilon)
    steps["hidden"] = x
    return x


def draw_encoder(a, names):
    for l in range(LAYERS):
        q, k, v, o, ln, up, down, ln2 = (name.format(l) for name in names)
        for name in (q, k, v, o):
            a.linear(name, D, D)
        a.linear(up, D, FF), a.linear(down, FF, D), a.norm(ln), a.norm(ln2)


def bert_names(prefix):
    at = prefix + "encoder.layer.{}."
    return [at + name for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense",
                                   "attention.output.LayerNorm", "intermediate.dense", "output.dense", "output.LayerNorm")]


def make_bert():
    a, epsilon, ids, types = Arrays(2), 1e-12, np.array([[7, 2, 3, 8, 8]]), np.array([[0, 0, 0, 1, 1]])
    names = bert_names("bert.")
    for table, rows in (("word", VOCABULARY), ("position", 9), ("token_type", 2)):
        a.draw(f"bert.embeddings.{table}_embeddings.weight", rows, D)
    a.norm("bert.embeddings.LayerNorm")
    draw_encoder(a, names)
    a.linear("bert.pooler.dense", D, D)
    a.linear("classifier", D, 4)
    config = {"model_type": "bert", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
              "max_position_embeddings": 9, "vocab_size": VOCABULARY, "hidden_act": "gelu", "type_vocab_size": 2}
    steps = {"type_ids": types}
    x = a["bert.embeddings.word_embeddings.weight"][ids] + a["bert.embeddings.position_embeddings.weight"][:5]
    x = a.normed("bert.embeddings.LayerNorm", x + a["bert.embeddings.token_type_embeddings.weight"][types], epsilon)
    begin(steps, ids, x)
    x = encoder_layers(a, steps, x, names, epsilon)
    steps["pooled"] = np.tanh(a.of("bert.pooler.dense", x[:, 0]))
    steps["class_logits"] = a.of("classifier", steps["pooled"])
    top(steps, "top_classes", "top_class_probabilities", steps["class_logits"])
    write("bert", config, a, {"tokens": {"ids": ids.tolist(), "types": types.tolist()}}, steps)


def make_roberta():
    a, epsilon, ids = Arrays(3), 1e-5, np.array([[0, 6, 5, 2, 1, 1]])  # the last two are padding
    names = bert_names("roberta.")
    for table, rows in (("word", VOCABULARY), ("position", 9), ("token_type", 1)):
        a.draw(f"roberta.embeddings.{table}_embeddings.weight", rows, D)
    a.norm("roberta.embeddings.LayerNorm")
    draw_encoder(a, names)
    a.linear("lm_head.dense", D, D), a.norm("lm_head.layer_norm"), a.draw("lm_head.bias", VOCABULARY)
    config = {"model_type": "roberta", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
              "max_position_embeddings": 9, "vocab_size": VOCABULARY, "type_vocab_size": 1, "layer_norm_eps": 1e-5, "pad_token_id": 1}
    steps, places = {}, np.array([[2, 3, 4, 5, 1, 1]])
    x = a["roberta.embeddings.word_embeddings.weight"][ids] + a["roberta.embeddings.position_embeddings.weight"][places]
    x = a.normed("roberta.embeddings.LayerNorm", x + a["roberta.embeddings.token_type_embeddings.weight"][0], epsilon)
    begin(steps, ids, x)
    x = encoder_layers(a, steps, x, names, epsilon)
    x = a.normed("lm_head.layer_norm", gelu(a.of("lm_head.dense", x)), epsilon)
    steps["logits"] = x @ a["roberta.embeddings.word_embeddings.weight"].T + a["lm_head.bias"]
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write("roberta", config, a, {"tokens": {"ids": ids.tolist()}}, steps)


def make_distilbert():
    a, epsilon, ids = Arrays(4), 1e-12, np.array([[1, 2, 10]])
    at = "distilbert.transformer.layer.{}."
    names = [at + name for name in ("attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin", "sa_layer_norm",
                                    "ffn.lin1", "ffn.lin2", "output_layer_norm")]
    a.draw("distilbert.embeddings.word_embeddings.weight", VOCABULARY, D)
    a.draw("distilbert.embeddings.position_embeddings.weight", 9, D)
    a.norm("distilbert.embeddings.LayerNorm")
    draw_encoder(a, names)
    a.linear("vocab_transform", D, D), a.norm("vocab_layer_norm"), a.draw("vocab_projector.bias", VOCABULARY)
    config = {"model_type": "distilbert", "dim": D, "n_heads": HEADS, "n_layers": LAYERS, "hidden_dim": FF,
              "max_position_embeddings": 9, "vocab_size": VOCABULARY}
    steps = {}
    x = a["distilbert.embeddings.word_embeddings.weight"][ids] + a["distilbert.embeddings.position_embeddings.weight"][:3]
    x = a.normed("distilbert.embeddings.LayerNorm", x, epsilon)
    begin(steps, ids, x)
    x = encoder_layers(a, steps, x, names, epsilon)
    x = a.normed("vocab_layer_norm", gelu(a.of("vocab_transform", x)), epsilon)
    steps["logits"] = x @ a["distilbert.embeddings.word_embeddings.weight"].T + a["vocab_projector.bias"]
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write("distilbert", config, a, {"tokens": {"ids": ids.tolist()}}, steps)


def make_deit():
    a, epsilon, patch, side = Arrays(5), 1e-12, 2, 4
    a.draw("deit.embeddings.cls_token", 1, 1, D), a.draw("deit.embeddings.distillation_token", 1, 1, D)
    a.draw("deit.embeddings.position_embeddings", 1, 6, D)
    a.draw("deit.embeddings.patch_embeddings.projection.weight", D, 3, patch, patch)
    a.draw("deit.embeddings.patch_embeddings.projection.bias", D)
    for l in range(LAYERS):
        at = f"deit.encoder.layer.{l}."
        for name in ("query", "key", "value"):
            a.linear(at + "attention.attention." + name, D, D)
        a.linear(at + "attention.output.dense", D, D), a.linear(at + "intermediate.dense", D, FF), a.linear(at + "output.dense", FF, D)
        a.norm(at + "layernorm_before"), a.norm(at + "layernorm_after")
    a.norm("deit.layernorm"), a.linear("cls_classifier", D, 5), a.linear("distillation_classifier", D, 5)
    pixels = a.rng.standard_normal((2, 3, side, side)).astype(np.float32).astype(float)
    config = {"model_type": "deit", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "image_size": side,
              "patch_size": patch, "id2label": {"0": "a", "1": "b", "2": "c", "3": "d", "4": "e"}}
    steps = {"pixel_values": pixels}
    patches = pixels.reshape(2, 3, 2, patch, 2, patch).transpose(0, 2, 4, 1, 3, 5).reshape(2, 4, -1)
    made = patches @ a["deit.embeddings.patch_embeddings.projection.weight"].reshape(D, -1).T
    made = made + a["deit.embeddings.patch_embeddings.projection.bias"]
    lone = np.concatenate([a["deit.embeddings.cls_token"], a["deit.embeddings.distillation_token"]], 1)
    x = np.concatenate([np.repeat(lone, 2, 0), made], 1) + a["deit.embeddings.position_embeddings"]
    steps["embeddings"] = x
    for l in range(LAYERS):
        at = f"deit.encoder.layer.{l}."
        steps[f"layer{l}/input"] = x
        y = a.normed(at + "layernorm_before", x, epsilon)
        q, k, v = (a.of(at + "attention.attention." + name, y) for name in ("query", "key", "value"))
        out, steps[f"layer{l}/weights"] = attention(q, k, v, HEADS)
        x = x + a.of(at + "attention.output.dense", out)
        hidden = gelu(a.of(at + "intermediate.dense", a.normed(at + "layernorm_after", x, epsilon)))
        x = x + a.of(at + "output.dense", hidden)
    steps["hidden"], steps["final_norm"] = x, a.normed("deit.layernorm", x, epsilon)
    cls, teacher = steps["final_norm"][:, 0], steps["final_norm"][:, 1]
    steps["class_logits"] = (a.of("cls_classifier", cls) + a.of("distillation_classifier", teacher)) / 2
    top(steps, "top_classes", "top_class_probabilities", steps["class_logits"])
    write("deit", config, a, {"pixels": {"npy": "pixels.npz"}}, steps)
    save(HERE / "deit" / "pixels.npz", {"pixels": pixels})


def llama3_frequencies(frequencies, factor, low, high, old):
    result = []
    for f in frequencies:
        wave = 2 * math.pi / f
        t = (old / wave - low) / (high - low)
        result.append(f if wave < old / high else f / factor if wave > old / low else (1 - t) * f / factor + t * f)
    return np.array(result)


def llama_like(name, seed, config, *, heads=4, groups=2, width=4, tied=False, bias=False, window=lambda l: None, scaled=None):
    a, epsilon, ids = Arrays(seed), 1e-6, np.array([[1, 5, 9, 3, 3, 7]])
    n = ids.shape[1]
    a.draw("model.embed_tokens.weight", VOCABULARY, D)
    for l in range(LAYERS):
        at = f"model.layers.{l}."
        for part, rows in (("q", heads * width), ("k", groups * width), ("v", groups * width)):
            a.linear(f"{at}self_attn.{part}_proj", D, rows, bias)
        a.linear(at + "self_attn.o_proj", heads * width, D, False)
        a.linear(at + "mlp.gate_proj", D, FF, False), a.linear(at + "mlp.up_proj", D, FF, False), a.linear(at + "mlp.down_proj", FF, D, False)
        a.norm(at + "input_layernorm", False), a.norm(at + "post_attention_layernorm", False)
    a.norm("model.norm", False)
    if not tied:
        a.draw("lm_head.weight", VOCABULARY, D)
    frequencies = 10000.0 ** (-2 * np.arange(width // 2) / width)
    angles = np.arange(n)[:, None] * (scaled(frequencies) if scaled else frequencies)
    steps, x = {}, a["model.embed_tokens.weight"][ids]
    begin(steps, ids, x)
    for l in range(LAYERS):
        at = f"model.layers.{l}."
        steps[f"layer{l}/input"] = x
        y = rms_norm(x, a[at + "input_layernorm.weight"], epsilon)
        q, k, v = (a.of(f"{at}self_attn.{part}_proj", y) for part in "qkv")
        out, steps[f"layer{l}/weights"] = attention(q, k, v, heads, causal(n, window(l)), angles=angles)
        x = x + a.of(at + "self_attn.o_proj", out)
        y = rms_norm(x, a[at + "post_attention_layernorm.weight"], epsilon)
        x = x + a.of(at + "mlp.down_proj", silu(a.of(at + "mlp.gate_proj", y)) * a.of(at + "mlp.up_proj", y))
    steps["hidden"], steps["final_norm"] = x, rms_norm(x, a["model.norm.weight"], epsilon)
    steps["logits"] = steps["final_norm"] @ a["model.embed_tokens.weight" if tied else "lm_head.weight"].T
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    sizes = {"model_type": name.split("_")[0], "hidden_size": D, "num_attention_heads": heads, "num_key_value_heads": groups,
             "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY, "max_position_embeddings": 64, "tie_word_embeddings": tied}
    write(name, {**sizes, **config}, a, {"tokens": {"ids": ids.tolist()}}, steps)


def gpt_neox(name, seed, parallel, share=0.5):
    a, epsilon, ids, width = Arrays(seed), 1e-5, np.array([[2, 4, 6, 8, 10]]), D // HEADS
    turning = int(width * share)  # an odd number: one more turns
    n = ids.shape[1]
    a.draw("gpt_neox.embed_in.weight", VOCABULARY, D), a.draw("embed_out.weight", VOCABULARY, D), a.norm("gpt_neox.final_layer_norm")
    for l in range(LAYERS):
        at = f"gpt_neox.layers.{l}."
        a.linear(at + "attention.query_key_value", D, 3 * D), a.linear(at + "attention.dense", D, D)
        a.linear(at + "mlp.dense_h_to_4h", D, FF), a.linear(at + "mlp.dense_4h_to_h", FF, D)
        a.norm(at + "input_layernorm"), a.norm(at + "post_attention_layernorm")
    angles = np.arange(n)[:, None] * 10000.0 ** (-2 * np.arange((turning + 1) // 2) / turning)
    steps, x = {}, a["gpt_neox.embed_in.weight"][ids]
    begin(steps, ids, x)
    for l in range(LAYERS):
        at = f"gpt_neox.layers.{l}."
        steps[f"layer{l}/input"] = x
        qkv = a.of(at + "attention.query_key_value", a.normed(at + "input_layernorm", x, epsilon)).reshape(1, n, HEADS, 3, width)
        q, k, v = (qkv[..., i, :].reshape(1, n, D) for i in range(3))
        out, steps[f"layer{l}/weights"] = attention(q, k, v, HEADS, causal(n), angles=angles)
        mixed = a.of(at + "attention.dense", out)
        y = a.normed(at + "post_attention_layernorm", x if parallel else x + mixed, epsilon)
        x = x + mixed + a.of(at + "mlp.dense_4h_to_h", gelu(a.of(at + "mlp.dense_h_to_4h", y)))
    steps["hidden"], steps["final_norm"] = x, a.normed("gpt_neox.final_layer_norm", x, epsilon)
    steps["logits"] = steps["final_norm"] @ a["embed_out.weight"].T
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    config = {"model_type": "gpt_neox", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
              "vocab_size": VOCABULARY, "rotary_pct": share, "max_position_embeddings": 32, "use_parallel_residual": parallel}
    write(name, config, a, {"tokens": {"ids": ids.tolist()}}, steps)


def t5_bucket(offset, both, buckets, farthest):
    """The bucket of a key that stands so many places after its query, as T5's program has it."""
    first = 0
    if both:
        buckets //= 2
        first = buckets if offset > 0 else 0
        distance = abs(offset)
    else:
        distance = max(-offset, 0)
    exact = buckets // 2
    if distance < exact:
        return first + distance
    far = exact + int(math.log(distance / exact) / math.log(farthest / exact) * (buckets - exact) + 1e-9)
    return first + min(far, buckets - 1)


class T5:
    """Heads of their own width, an encoder and a decoder that is deeper; off: (part, layer, head)."""
    width, buckets, farthest, epsilon, layers, decoder_layers = 3, 6, 7, 1e-6, 2, 3

    def __init__(self, seed, gated, tied):
        self.a, self.gated, self.tied = Arrays(seed), gated, tied
        a, wide = self.a, self.width * HEADS
        a.draw("shared.weight", VOCABULARY, D)
        for stack, layers in (("encoder", self.layers), ("decoder", self.decoder_layers)):
            for l in range(layers):
                at = f"{stack}.block.{l}.layer."
                kinds = ["SelfAttention", "EncDecAttention"][:1 if stack == "encoder" else 2]
                for i, kind in enumerate(kinds):
                    for name in "qkv":
                        a.linear(f"{at}{i}.{kind}.{name}", D, wide, False)
                    a.linear(f"{at}{i}.{kind}.o", wide, D, False), a.norm(f"{at}{i}.layer_norm", False)
                at += f"{len(kinds)}."
                for name in ["wi_0", "wi_1"] if gated else ["wi"]:
                    a.linear(f"{at}DenseReluDense.{name}", D, FF, False)
                a.linear(f"{at}DenseReluDense.wo", FF, D, False), a.norm(f"{at}layer_norm", False)
            a.draw(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", self.buckets, HEADS)
            a.norm(f"{stack}.final_layer_norm", False)
        if not tied:
            a.linear("lm_head", D, VOCABULARY, False)

    def normed(self, name, x):
        return rms_norm(x, self.a[name + ".weight"], self.epsilon)

    def attend(self, at, x, memory, off, bias=0, visible=None):
        """Scores that nothing divides."""
        heads = lambda y: y.reshape(*y.shape[:2], HEADS, self.width).transpose(0, 2, 1, 3)
        q, k, v = (heads(self.a.of(at + name, y)) for name, y in (("q", x), ("k", memory), ("v", memory)))
        scores = q @ k.transpose(0, 1, 3, 2) + bias
        weights = softmax(scores if visible is None else np.where(visible, scores, -np.inf))
        out = weights @ v
        out[:, off] = 0
        return self.a.of(at + "o", out.transpose(0, 2, 1, 3).reshape(*x.shape[:2], -1)), weights

    def fed(self, at, x):
        y = self.normed(at + "layer_norm", x)
        up = lambda name: self.a.of(f"{at}DenseReluDense.{name}", y)
        hidden = gelu_tanh(up("wi_0")) * up("wi_1") if self.gated else np.maximum(up("wi"), 0)
        return x + self.a.of(at + "DenseReluDense.wo", hidden)

    def stack(self, steps, name, x, off, memory=None):
        places, n = self.a[f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"], x.shape[1]
        index = [[t5_bucket(j - i, memory is None, self.buckets, self.farthest) for j in range(n)] for i in range(n)]
        bias = places[np.array(index)].transpose(2, 0, 1)
        visible = None if memory is None else causal(n)
        steps[f"{name}/embeddings"] = x
        for l in range(self.layers if memory is None else self.decoder_layers):
            at, here = f"{name}.block.{l}.layer.", f"{name}/layer{l}/"
            off_in = lambda part: [head for p, layer, head in off if (p, layer) == (part, l)]
            steps[here + "input"] = x
            y = self.normed(at + "0.layer_norm", x)
            out, steps[here + "weights"] = self.attend(at + "0.SelfAttention.", y, y, off_in(name), bias, visible)
            x = x + out
            if memory is not None:
                steps[here + "cross/input"] = x
                out, steps[here + "cross/weights"] = self.attend(at + "1.EncDecAttention.", self.normed(at + "1.layer_norm", x), memory,
                                                                 off_in("cross"))
                x = x + out
            x = self.fed(at + ("1." if memory is None else "2."), x)
        steps[f"{name}/hidden"], steps[f"{name}/final_norm"] = x, self.normed(f"{name}.final_layer_norm", x)
        return steps[f"{name}/final_norm"]

    def run(self, ids, decoder_ids, off=()):
        steps, words = {"token_ids": ids, "decoder_token_ids": decoder_ids}, self.a["shared.weight"]
        memory = self.stack(steps, "encoder", words[ids], off)
        x = self.stack(steps, "decoder", words[decoder_ids], off, memory)
        steps["logits"] = x * D ** -0.5 @ words.T if self.tied else self.a.of("lm_head", x)
        top(steps, "top_tokens", "top_probabilities", steps["logits"])
        return steps

    def write(self, name, ids, decoder_ids, off=()):
        ids, decoder_ids = np.array(ids), np.array(decoder_ids)
        steps = self.run(ids, decoder_ids, off)
        for part, layers, before in (("encoder", self.layers, "encoder/"), ("decoder", self.decoder_layers, "decoder/"),
                                     ("cross", self.decoder_layers, "decoder/cross/")):
            steps[before + "measure/ablation"] = [
                [divergence(steps["logits"], self.run(ids, decoder_ids, [*off, (part, l, m)])["logits"]) for m in range(HEADS)]
                for l in range(layers)]
        ablate = [[l, m] if part == "encoder" else [part, l, m] for part, l, m in off]
        inputs = {"tokens": {"ids": ids.tolist()}}
        if (decoder_ids != 0).any():  # else the start token alone, which need not be said
            inputs["decoder_tokens"] = {"ids": decoder_ids.tolist()}
        write(name, self.config(), self.a, inputs, steps, {"ablate": ablate})

    def write_encoder(self, name, ids, of_config, words="shared.weight"):
        """The encoder alone, as T5EncoderModel has it."""
        ids, steps = np.array(ids), {}
        steps["token_ids"] = ids
        self.stack(steps, "encoder", self.a["shared.weight"][ids], ())
        arrays = {words: self.a["shared.weight"], **{key: value for key, value in self.a.items() if key.startswith("encoder.")}}
        write(name, {**self.config(), **of_config}, arrays, {"tokens": {"ids": ids.tolist()}}, steps)

    def config(self):
        return {"model_type": "t5", "d_model": D, "num_heads": HEADS, "d_kv": self.width, "d_ff": FF, "num_layers": self.layers,
                "num_decoder_layers": self.decoder_layers, "vocab_size": VOCABULARY, "relative_attention_num_buckets": self.buckets,
                "relative_attention_max_distance": self.farthest, "feed_forward_proj": "gated-gelu" if self.gated else "relu",
                "tie_word_embeddings": self.tied, "decoder_start_token_id": 0, "eos_token_id": 1}


def main():
    T5(11, False, True).write("t5", [[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 1]], [[0, 2, 7, 1, 8]], [("encoder", 1, 0), ("decoder", 2, 1), ("cross", 0, 1)])
    T5(12, True, False).write("t5_gated", [[2, 7, 1, 8], [1, 6, 1, 8]], [[0, 3, 1, 4, 1], [0, 5, 9, 2, 6]])
    T5(13, False, False).write("t5_start", [[2, 7], [1, 8], [2, 8]], [[0], [0], [0]])
    T5(14, True, True).write_encoder("t5_encoder", [[2, 7, 1, 8, 2], [9, 0, 4, 5, 1]], {"architectures": ["T5EncoderModel"]})
    T5(15, False, True).write_encoder("t5_encoder_embedded", [[6, 2, 8]], {}, "encoder.embed_tokens.weight")
    make_gpt2(), make_bert(), make_roberta(), make_distilbert(), make_deit()
    scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1000}
    llama_like("llama", 6, {"head_dim": 8, "rope_scaling": scaling}, width=8,  # waves of each of the three kinds
               scaled=lambda f: llama3_frequencies(f, 8.0, 1.0, 4.0, 1000))
    llama_like("mistral", 7, {"sliding_window": 3, "head_dim": 4}, window=lambda l: 3, tied=True)
    llama_like("qwen2", 8, {"use_sliding_window": True, "sliding_window": 2, "max_window_layers": 1, "rope_scaling": {"type": "linear", "factor": 2.0}},
               heads=2, groups=1, bias=True, window=lambda l: 2 if l >= 1 else None, scaled=lambda f: f / 2)
    gpt_neox("gpt_neox", 9, True)
    gpt_neox("gpt_neox_in_turn", 10, False)
    gpt_neox("gpt_neox_odd", 16, True, 0.75)


if __name__ == "__main__":
    main()
