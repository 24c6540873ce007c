#!/usr/bin/python3
"""Reference cases of further model folders, as make_models.py has them: Qwen 3, Gemma 2 and 3, Phi-3, OPT, ESM, DINOv2, BART, Whisper.

Each architecture once more in NumPy, in double precision. The same files come out each time.
"""
import numpy as np

from cases import save
from make_models import (D, FF, HEADS, HERE, LAYERS, VOCABULARY, Arrays, attention, begin, causal, gelu, gelu_tanh, layer_norm, rms_norm,
                         silu, softmax, top, turned, write)


def frequencies(base, width):
    return base ** (-2 * np.arange(width // 2) / width)


def yarn(base, width, factor, old, fast=32.0, slow=1.0):
    """Peng et al. 2023: pairs that turn often stay, those that turn seldom are slowed, and what lies between is mixed."""
    pair = lambda turns: width * np.log(old / (2 * np.pi * turns)) / (2 * np.log(base))
    low, high = max(np.floor(pair(fast)), 0), min(np.ceil(pair(slow)), width - 1)
    share = np.clip((np.arange(width // 2) - low) / (high - low), 0, 1)
    plain = frequencies(base, width)
    return plain * (1 - share) + plain / factor * share, 0.1 * np.log(factor) + 1


class Decoder:
    """LLaMA's family, by what a member has that others lack. `turns` gives layer l's frequencies and what scales its q and k."""

    def __init__(self, seed, *, heads=4, groups=2, width=4, one_more=0, sandwich=False, qk_norm=False, fused=False, scale=None, softcap=0,
                 logit_cap=0, window=lambda l: None, turns=None, rotated=None, activation=silu, embed=1.0, tied=True):
        self.__dict__.update({key: value for key, value in locals().items() if key != "self"})
        self.a, self.epsilon = Arrays(seed), 1e-6
        a = self.a
        a.draw("model.embed_tokens.weight", VOCABULARY, D)
        for l in range(LAYERS):
            at = f"model.layers.{l}."
            if fused:
                a.linear(at + "self_attn.qkv_proj", D, (heads + 2 * groups) * width, False), a.linear(at + "mlp.gate_up_proj", D, 2 * FF, False)
            else:
                for part, rows in (("q", heads), ("k", groups), ("v", groups)):
                    a.linear(f"{at}self_attn.{part}_proj", D, rows * width, False)
                a.linear(at + "mlp.gate_proj", D, FF, False), a.linear(at + "mlp.up_proj", D, FF, False)
            a.linear(at + "self_attn.o_proj", heads * width, D, False), a.linear(at + "mlp.down_proj", FF, D, False)
            for name in ("input", "post_attention") + (("pre_feedforward", "post_feedforward") if sandwich else ()):
                a.draw(f"{at}{name}_layernorm.weight", D, around=1 - one_more, scale=0.2)
            for part in "qk" if qk_norm else "":
                a.draw(f"{at}self_attn.{part}_norm.weight", width, around=1 - one_more, scale=0.2)
        a.draw("model.norm.weight", D, around=1 - one_more, scale=0.2)
        if not tied:
            a.draw("lm_head.weight", VOCABULARY, D)

    def normed(self, name, x):
        return rms_norm(x, self.one_more + self.a[name + ".weight"], self.epsilon)

    def projected(self, at, y):
        if not self.fused:
            return [self.a.of(f"{at}self_attn.{part}_proj", y) for part in "qkv"]
        rows = self.heads * self.width, self.groups * self.width
        return np.split(self.a.of(at + "self_attn.qkv_proj", y), [rows[0], sum(rows)], -1)

    def attended(self, l, x, weights):
        a, at, n, batch = self.a, f"model.layers.{l}.", x.shape[1], x.shape[0]
        q, k, v = (part.reshape(batch, n, -1, self.width).transpose(0, 2, 1, 3) for part in self.projected(at, x))
        if self.qk_norm:
            q, k = self.normed(at + "self_attn.q_norm", q), self.normed(at + "self_attn.k_norm", k)
        speeds, stretch = self.turns(l)
        angles = np.arange(n)[:, None] * speeds
        q, k = stretch * turned(q, angles), stretch * turned(k, angles)
        k, v = (np.repeat(part, self.heads // self.groups, 1) for part in (k, v))
        scores = q @ k.transpose(0, 1, 3, 2) * (self.scale or self.width ** -0.5)
        if self.softcap:
            scores = self.softcap * np.tanh(scores / self.softcap)
        weights[f"layer{l}/weights"] = softmax(np.where(causal(n, self.window(l)), scores, -np.inf))
        out = (weights[f"layer{l}/weights"] @ v).transpose(0, 2, 1, 3).reshape(batch, n, -1)
        return a.of(at + "self_attn.o_proj", out)

    def fed(self, l, y):
        at = f"model.layers.{l}.mlp."
        gate, up = (np.split(self.a.of(at + "gate_up_proj", y), 2, -1) if self.fused
                    else (self.a.of(at + "gate_proj", y), self.a.of(at + "up_proj", y)))
        return self.a.of(at + "down_proj", self.activation(gate) * up)

    def write(self, name, config, ids=((1, 5, 9, 3, 3, 7),)):
        ids, steps = np.array(ids), {}
        x = self.a["model.embed_tokens.weight"][ids] * self.embed
        begin(steps, ids, x)
        for l in range(LAYERS):
            at = f"model.layers.{l}."
            steps[f"layer{l}/input"] = x
            out = self.attended(l, self.normed(at + "input_layernorm", x), steps)
            x = x + (self.normed(at + "post_attention_layernorm", out) if self.sandwich else out)
            before = "pre_feedforward_layernorm" if self.sandwich else "post_attention_layernorm"
            out = self.fed(l, self.normed(at + before, x))
            x = x + (self.normed(at + "post_feedforward_layernorm", out) if self.sandwich else out)
        steps["hidden"], steps["final_norm"] = x, self.normed("model.norm", x)
        logits = steps["final_norm"] @ self.a["model.embed_tokens.weight" if self.tied else "lm_head.weight"].T
        steps["logits"] = self.logit_cap * np.tanh(logits / self.logit_cap) if self.logit_cap else logits
        top(steps, "top_tokens", "top_probabilities", steps["logits"])
        write(name, {"hidden_size": D, "num_attention_heads": self.heads, "num_key_value_heads": self.groups, "head_dim": self.width,
                     "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY, "tie_word_embeddings": self.tied, "rms_norm_eps": self.epsilon,
                     **config}, self.a, {"tokens": {"ids": ids.tolist()}}, steps)


def decoders():
    speeds, stretch = yarn(10000.0, 8, 4.0, 16)
    Decoder(41, width=8, qk_norm=True, tied=False, turns=lambda l: (speeds, stretch)).write(
        "qwen3", {"model_type": "qwen3", "rope_theta": 10000.0, "rope_scaling": {
            "rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16}})
    Decoder(42, one_more=1, sandwich=True, scale=6 ** -0.5, softcap=3.0, logit_cap=5.0, window=lambda l: 3 if l % 2 == 0 else None,
            turns=lambda l: (frequencies(10000.0, 4), 1), activation=gelu_tanh, embed=D ** 0.5).write(
        "gemma2", {"model_type": "gemma2", "query_pre_attn_scalar": 6, "attn_logit_softcapping": 3.0, "final_logit_softcapping": 5.0,
                   "sliding_window": 3, "hidden_activation": "gelu_pytorch_tanh"})
    Decoder(43, one_more=1, sandwich=True, qk_norm=True, scale=0.5, window=lambda l: 2 if l == 0 else None, activation=gelu_tanh, embed=D ** 0.5,
            turns=lambda l: (frequencies(50.0, 4) if l == 0 else frequencies(10000.0, 4) / 2, 1)).write(
        "gemma3", {"model_type": "gemma3_text", "query_pre_attn_scalar": 4, "sliding_window": 2, "sliding_window_pattern": 2,
                   "rope_theta": 10000.0, "rope_local_base_freq": 50.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}})
    Decoder(44, one_more=1, turns=lambda l: (frequencies(10000.0, 4), 1), activation=gelu_tanh, embed=D ** 0.5).write(
        "gemma", {"model_type": "gemma"})
    Decoder(45, width=8, groups=1, fused=True, tied=False, window=lambda l: 4, turns=lambda l: (frequencies(10000.0, 4), 1)).write(
        "phi3", {"model_type": "phi3", "partial_rotary_factor": 0.5, "sliding_window": 4})


def drawn_attention(a, at, names=("q_proj", "k_proj", "v_proj", "out_proj"), biases="qvo"):
    for part, name in zip("qkvo", names):
        a.linear(at + name, D, D, part in biases)


def attends(a, at, y, memory=None, visible=None, names=("q_proj", "k_proj", "v_proj", "out_proj"), angles=None):
    keys = y if memory is None else memory
    q, k, v = a.of(at + names[0], y), a.of(at + names[1], keys), a.of(at + names[2], keys)
    split = lambda x: x.reshape(*x.shape[:2], HEADS, -1).transpose(0, 2, 1, 3)
    q, k, v = split(q), split(k), split(v)
    if angles is not None:
        q, k = turned(q, angles), turned(k, angles)
    scores = q @ k.transpose(0, 1, 3, 2) * (D // HEADS) ** -0.5
    weights = softmax(scores if visible is None else np.where(visible, scores, -np.inf))
    return a.of(at + names[3], (weights @ v).transpose(0, 2, 1, 3).reshape(y.shape)), weights


def opt(name, seed, before, narrow):
    """Zhang et al. 2022. `narrow`: tokens are half as wide as layers."""
    a, ids, wide = Arrays(seed), np.array([[4, 2, 9, 7]]), D // 2 if narrow else D
    root = "model.decoder."
    a.draw(root + "embed_tokens.weight", VOCABULARY, wide), a.draw(root + "embed_positions.weight", 11, D)
    if narrow:
        a.linear(root + "project_in", wide, D, False), a.linear(root + "project_out", D, wide, False)
    for l in range(LAYERS):
        at = f"{root}layers.{l}."
        drawn_attention(a, at + "self_attn.", biases="qkvo"), a.linear(at + "fc1", D, FF), a.linear(at + "fc2", FF, D)
        a.norm(at + "self_attn_layer_norm"), a.norm(at + "final_layer_norm")
    steps, x = {}, a[root + "embed_tokens.weight"][ids]
    x = (a.of(root + "project_in", x) if narrow else x) + a[root + "embed_positions.weight"][2:6]
    begin(steps, ids, x)
    for l in range(LAYERS):
        at = f"{root}layers.{l}."
        steps[f"layer{l}/input"] = x
        normed = lambda which, y: a.normed(at + which, y, 1e-5)
        first = lambda which, y: normed(which, y) if before else y
        last = lambda which, y: y if before else normed(which, y)
        out, steps[f"layer{l}/weights"] = attends(a, at + "self_attn.", first("self_attn_layer_norm", x), visible=causal(4))
        x = last("self_attn_layer_norm", x + out)
        x = last("final_layer_norm", x + a.of(at + "fc2", np.maximum(a.of(at + "fc1", first("final_layer_norm", x)), 0)))
    steps["hidden"] = x
    if before:
        a.norm(root + "final_layer_norm")
        x = steps["final_norm"] = a.normed(root + "final_layer_norm", x, 1e-5)
    steps["logits"] = (a.of(root + "project_out", x) if narrow else x) @ a[root + "embed_tokens.weight"].T
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write(name, {"model_type": "opt", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY,
                 "max_position_embeddings": 9, "word_embed_proj_dim": wide, "do_layer_norm_before": before, "ffn_dim": FF},
          a, {"tokens": {"ids": ids.tolist()}}, steps)


def esm():
    """Lin et al. 2023: hidden tokens are 0, and the others stretched by 0.88 over their share."""
    a, ids, epsilon, hidden = Arrays(48), np.array([[0, 5, 3, 6, 2]]), 1e-5, 3
    a.draw("esm.embeddings.word_embeddings.weight", VOCABULARY, D), a.norm("esm.encoder.emb_layer_norm_after")
    names = ("query", "key", "value")
    for l in range(LAYERS):
        at = f"esm.encoder.layer.{l}."
        for name in [f"attention.self.{name}" for name in names] + ["attention.output.dense"]:
            a.linear(at + name, D, D)
        a.linear(at + "intermediate.dense", D, FF), a.linear(at + "output.dense", FF, D), a.norm(at + "attention.LayerNorm"), a.norm(at + "LayerNorm")
    a.linear("lm_head.dense", D, D), a.norm("lm_head.layer_norm"), a.draw("lm_head.bias", VOCABULARY)
    words = np.where(ids[..., None] == hidden, 0, a["esm.embeddings.word_embeddings.weight"][ids])
    x, steps = words * 0.88 / (1 - (ids == hidden).mean()), {}
    begin(steps, ids, x)
    angles = np.arange(5)[:, None] * frequencies(10000.0, D // HEADS)
    for l in range(LAYERS):
        at = f"esm.encoder.layer.{l}."
        steps[f"layer{l}/input"] = x
        out, steps[f"layer{l}/weights"] = attends(a, at + "attention.", a.normed(at + "attention.LayerNorm", x, epsilon), angles=angles,
                                                  names=("self.query", "self.key", "self.value", "output.dense"))
        x = x + out
        x = x + a.of(at + "output.dense", gelu(a.of(at + "intermediate.dense", a.normed(at + "LayerNorm", x, epsilon))))
    steps["hidden"], steps["final_norm"] = x, a.normed("esm.encoder.emb_layer_norm_after", x, epsilon)
    y = a.normed("lm_head.layer_norm", gelu(a.of("lm_head.dense", steps["final_norm"])), epsilon)
    steps["logits"] = y @ a["esm.embeddings.word_embeddings.weight"].T + a["lm_head.bias"]
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write("esm", {"model_type": "esm", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS, "vocab_size": VOCABULARY,
                  "position_embedding_type": "rotary", "token_dropout": True, "mask_token_id": hidden, "layer_norm_eps": epsilon},
          a, {"tokens": {"ids": ids.tolist()}}, steps)


def dinov2():
    """Oquab et al. 2023 with Darcet et al.'s registers: LayerScale, and places resized to a grid of 2 × 3."""
    a, epsilon, patch, registers = Arrays(49), 1e-6, 2, 2
    root = "dinov2_with_registers."
    a.draw(root + "embeddings.cls_token", 1, 1, D), a.draw(root + "embeddings.register_tokens", 1, registers, D)
    a.draw(root + "embeddings.position_embeddings", 1, 1 + 9, D)
    a.draw(root + "embeddings.patch_embeddings.projection.weight", D, 3, patch, patch)
    a.draw(root + "embeddings.patch_embeddings.projection.bias", D)
    names = ("attention.query", "attention.key", "attention.value", "output.dense")
    for l in range(LAYERS):
        at = f"{root}encoder.layer.{l}."
        drawn_attention(a, at + "attention.", names, "qkvo"), a.norm(at + "norm1"), a.norm(at + "norm2")
        a.linear(at + "mlp.weights_in", D, 2 * FF), a.linear(at + "mlp.weights_out", FF, D)
        a.draw(at + "layer_scale1.lambda1", D), a.draw(at + "layer_scale2.lambda1", D)
    a.norm(root + "layernorm"), a.linear("classifier", 2 * D, 4)
    pixels = a.rng.standard_normal((1, 3, 4, 6)).astype(np.float32).astype(float)
    patches = pixels.reshape(1, 3, 2, patch, 3, patch).transpose(0, 2, 4, 1, 3, 5).reshape(1, 6, -1)
    made = patches @ a[root + "embeddings.patch_embeddings.projection.weight"].reshape(D, -1).T
    made = made + a[root + "embeddings.patch_embeddings.projection.bias"]
    places = a[root + "embeddings.position_embeddings"][0]
    grid = places[1:].reshape(3, 3, D)
    cubic = lambda x: np.where(x < 1, (1.5 * x - 2.5) * x * x + 1, np.where(x < 2, ((-0.5 * x + 2.5) * x - 4) * x + 2, 0))  # Keys, a = −1/2
    down = cubic(np.abs(np.arange(3)[None] - ((np.arange(2)[:, None] + 0.5) * 1.5 - 0.5)) / 1.5)
    down = down / down.sum(1, keepdims=True)  # 2 rows of 3; the 3 columns stay
    grid = np.einsum("rs,scd->rcd", down, grid).reshape(6, D)
    x = np.concatenate([a[root + "embeddings.cls_token"] + places[:1], a[root + "embeddings.register_tokens"], made + grid], 1)
    steps = {"pixel_values": pixels, "embeddings": x}
    for l in range(LAYERS):
        at = f"{root}encoder.layer.{l}."
        steps[f"layer{l}/input"] = x
        out, steps[f"layer{l}/weights"] = attends(a, at + "attention.", a.normed(at + "norm1", x, epsilon), names=names)
        x = x + a[at + "layer_scale1.lambda1"] * out
        gate, up = np.split(a.of(at + "mlp.weights_in", a.normed(at + "norm2", x, epsilon)), 2, -1)
        x = x + a[at + "layer_scale2.lambda1"] * a.of(at + "mlp.weights_out", silu(gate) * up)
    steps["hidden"], steps["final_norm"] = x, a.normed(root + "layernorm", x, epsilon)
    steps["pooled"] = steps["final_norm"][:, 0]
    steps["class_logits"] = a.of("classifier", np.concatenate([steps["pooled"], steps["final_norm"][:, 1 + registers:].mean(1)], -1))
    write("dinov2", {"model_type": "dinov2_with_registers", "hidden_size": D, "num_attention_heads": HEADS, "num_hidden_layers": LAYERS,
                     "image_size": 6, "patch_size": patch, "num_register_tokens": registers, "use_swiglu_ffn": True}, a,
          {"pixels": {"npy": "pixels.npz"}}, steps)
    save(HERE / "dinov2" / "pixels.npz", {"pixels": pixels})


class TwoStacks:
    """BART (norms after each part, also of what enters) and Whisper (norms before, and after each stack)."""

    def __init__(self, seed, bart):
        self.a, self.bart = Arrays(seed), bart
        a = self.a
        for stack in ("encoder", "decoder"):
            for l in range(LAYERS):
                at = f"model.{stack}.layers.{l}."
                for part in ("self_attn",) + (("encoder_attn",) if stack == "decoder" else ()):
                    drawn_attention(a, f"{at}{part}.", biases="qkvo" if bart else "qvo"), a.norm(f"{at}{part}_layer_norm")
                a.linear(at + "fc1", D, FF), a.linear(at + "fc2", FF, D), a.norm(at + "final_layer_norm")
            a.norm(f"model.{stack}." + ("layernorm_embedding" if bart else "layer_norm"))

    def part(self, at, name, x, steps, step, **given):
        """One attention with its norm, before or after it."""
        norm = lambda y: self.a.normed(f"{at}{name}_layer_norm", y, 1e-5)
        out, steps[step + "weights"] = attends(self.a, f"{at}{name}.", x if self.bart else norm(x), **given)
        return norm(x + out) if self.bart else x + out

    def fed(self, at, x):
        norm = lambda y: self.a.normed(at + "final_layer_norm", y, 1e-5)
        out = self.a.of(at + "fc2", gelu(self.a.of(at + "fc1", x if self.bart else norm(x))))
        return norm(x + out) if self.bart else x + out

    def run(self, steps, x, y):
        steps["encoder/embeddings"] = x
        for l in range(LAYERS):
            at, step = f"model.encoder.layers.{l}.", f"encoder/layer{l}/"
            steps[step + "input"] = x
            x = self.fed(at, self.part(at, "self_attn", x, steps, step))
        steps["encoder/hidden"] = x
        if not self.bart:
            x = steps["encoder/final_norm"] = self.a.normed("model.encoder.layer_norm", x, 1e-5)
        steps["decoder/embeddings"] = y
        for l in range(LAYERS):
            at, step = f"model.decoder.layers.{l}.", f"decoder/layer{l}/"
            steps[step + "input"] = y
            y = self.part(at, "self_attn", y, steps, step, visible=causal(y.shape[1]))
            steps[step + "cross/input"] = y
            y = self.fed(at, self.part(at, "encoder_attn", y, steps, step + "cross/", memory=x))
        steps["decoder/hidden"] = y
        if not self.bart:
            y = steps["decoder/final_norm"] = self.a.normed("model.decoder.layer_norm", y, 1e-5)
        return y


CONFIG = {"d_model": D, "encoder_layers": LAYERS, "decoder_layers": LAYERS, "encoder_attention_heads": HEADS, "decoder_attention_heads": HEADS,
          "vocab_size": VOCABULARY, "activation_function": "gelu"}


def bart():
    m, ids, said = TwoStacks(50, True), np.array([[0, 4, 7, 2]]), np.array([[2, 0, 9]])
    a = m.a
    a.draw("model.shared.weight", VOCABULARY, D), a.draw("final_logits_bias", 1, VOCABULARY)
    for stack in ("encoder", "decoder"):
        a.draw(f"model.{stack}.embed_positions.weight", 8, D)
    words = lambda stack, tokens: a.normed(f"model.{stack}.layernorm_embedding", a["model.shared.weight"][tokens] * D ** 0.5 +
                                           a[f"model.{stack}.embed_positions.weight"][2:2 + tokens.shape[1]], 1e-5)
    steps = {"token_ids": ids, "decoder_token_ids": said}
    steps["logits"] = m.run(steps, words("encoder", ids), words("decoder", said)) @ a["model.shared.weight"].T + a["final_logits_bias"][0]
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write("bart", {"model_type": "bart", "max_position_embeddings": 6, "scale_embedding": True, **CONFIG}, a,
          {"tokens": {"ids": ids.tolist()}, "decoder_tokens": {"ids": said.tolist()}}, steps)


def whisper():
    m, said, mel, n = TwoStacks(51, False), np.array([[3, 8, 1]]), 5, 4
    a = m.a
    a.draw("model.encoder.conv1.weight", D, mel, 3), a.draw("model.encoder.conv1.bias", D)
    a.draw("model.encoder.conv2.weight", D, D, 3), a.draw("model.encoder.conv2.bias", D)
    a.draw("model.encoder.embed_positions.weight", n, D), a.draw("model.decoder.embed_positions.weight", 6, D)
    a.draw("model.decoder.embed_tokens.weight", VOCABULARY, D)
    sound = a.rng.standard_normal((1, mel, 2 * n)).astype(np.float32).astype(float)

    def convolved(x, name, stride):
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1)))
        read = np.stack([padded[:, :, i:i + 3] for i in range(0, x.shape[2], stride)], 1)  # (1, n, channels, 3)
        made = np.einsum("bnck,dck->bdn", read, a[name + ".weight"]) + a[name + ".bias"][:, None]
        return gelu(made)

    x = convolved(convolved(sound, "model.encoder.conv1", 1), "model.encoder.conv2", 2).transpose(0, 2, 1)
    steps = {"input_features": sound, "decoder_token_ids": said}
    y = m.run(steps, x + a["model.encoder.embed_positions.weight"],
              a["model.decoder.embed_tokens.weight"][said] + a["model.decoder.embed_positions.weight"][:3])
    steps["logits"] = y @ a["model.decoder.embed_tokens.weight"].T
    top(steps, "top_tokens", "top_probabilities", steps["logits"])
    write("whisper", {"model_type": "whisper", "num_mel_bins": mel, "max_source_positions": n, "max_target_positions": 6,
                      "decoder_start_token_id": 3, **CONFIG}, a,
          {"features": {"npy": "features.npz"}, "decoder_tokens": {"ids": said.tolist()}}, steps)
    save(HERE / "whisper" / "features.npz", {"features": sound})


def main():
    decoders(), opt("opt", 46, True, False), opt("opt_narrow", 47, False, True), esm(), dinov2(), bart(), whisper()


if __name__ == "__main__":
    main()
