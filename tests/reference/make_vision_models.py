#!/usr/bin/python3
"""Reference cases of model folders that look at pictures in other ways, as make_models.py has them: CLIP and Swin.

Each architecture once more in NumPy, in double precision. The same files come out each time.
"""
import numpy as np

from cases import save
from make_models import HERE, Arrays, attention, causal, gelu, layer_norm, softmax, top, write


class Drawn(Arrays):
    def norm_of(self, name, width):
        self.draw(name + ".weight", width, around=1, scale=0.2), self.draw(name + ".bias", width, scale=0.2)


def patches_of(a, name, pixels, patch):
    """(B, C, H, W) → (B, h·w, d): each patch by the convolution that has no overlap."""
    b, c, height, width = pixels.shape
    cut = pixels.reshape(b, c, height // patch, patch, width // patch, patch).transpose(0, 2, 4, 1, 3, 5)
    kernel = a[name + ".weight"]
    return cut.reshape(b, -1, c * patch * patch) @ kernel.reshape(len(kernel), -1).T + a.get(name + ".bias", 0)


def quick_gelu(x):
    return x / (1 + np.exp(-1.702 * x))


def clip():
    """Radford et al. 2021. The text ends where its id is greatest, as configs of old have it."""
    a, epsilon, layers, joint = Drawn(60), 1e-5, 2, 5
    sizes = {"text": (8, 2, 12), "vision": (6, 3, 10)}  # width, heads, numbers in the feed-forward
    ids, pixels = np.array([[1, 4, 10, 0], [1, 10, 2, 6]]), None
    a.draw("text_model.embeddings.token_embedding.weight", 11, 8), a.draw("text_model.embeddings.position_embedding.weight", 5, 8)
    a.draw("vision_model.embeddings.class_embedding", 6), a.draw("vision_model.embeddings.position_embedding.weight", 5, 6)
    a.draw("vision_model.embeddings.patch_embedding.weight", 6, 3, 2, 2)
    for name in ("pre_layrnorm", "post_layernorm"):
        a.norm_of("vision_model." + name, 6)
    a.norm_of("text_model.final_layer_norm", 8)
    a.draw("text_projection.weight", joint, 8), a.draw("visual_projection.weight", joint, 6), a.draw("logit_scale")
    for tower, (d, _, ff) in sizes.items():
        for l in range(layers):
            at = f"{tower}_model.encoder.layers.{l}."
            for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
                a.linear(f"{at}self_attn.{part}", d, d)
            a.linear(at + "mlp.fc1", d, ff), a.linear(at + "mlp.fc2", ff, d), a.norm_of(at + "layer_norm1", d), a.norm_of(at + "layer_norm2", d)
    pixels = a.rng.standard_normal((1, 3, 4, 4)).astype(np.float32).astype(float)

    def run(tower, x, steps, visible, activation):
        heads = sizes[tower][1]
        steps[f"{tower}/embeddings"] = x
        for l in range(layers):
            at = f"{tower}_model.encoder.layers.{l}."
            steps[f"{tower}/layer{l}/input"] = x
            y = a.normed(at + "layer_norm1", x, epsilon)
            q, k, v = (a.of(f"{at}self_attn.{part}_proj", y) for part in "qkv")
            out, steps[f"{tower}/layer{l}/weights"] = attention(q, k, v, heads, visible)
            x = x + a.of(at + "self_attn.out_proj", out)
            x = x + a.of(at + "mlp.fc2", activation(a.of(at + "mlp.fc1", a.normed(at + "layer_norm2", x, epsilon))))
        steps[f"{tower}/hidden"] = x
        return x

    steps = {"token_ids": ids, "pixel_values": pixels}
    x = a["text_model.embeddings.token_embedding.weight"][ids] + a["text_model.embeddings.position_embedding.weight"][:4]
    x = a.normed("text_model.final_layer_norm", run("text", x, steps, causal(4), quick_gelu), epsilon)
    steps["text/final_norm"], steps["text/pooled"] = x, x[np.arange(2), ids.argmax(1)]
    steps["text_embeds"] = a.of("text_projection", steps["text/pooled"])
    x = patches_of(a, "vision_model.embeddings.patch_embedding", pixels, 2)
    x = np.concatenate([a["vision_model.embeddings.class_embedding"][None, None], x], 1) + a["vision_model.embeddings.position_embedding.weight"]
    x = run("vision", a.normed("vision_model.pre_layrnorm", x, epsilon), steps, None, gelu)
    steps["vision/pooled"] = a.normed("vision_model.post_layernorm", x[:, 0], epsilon)
    steps["image_embeds"] = a.of("visual_projection", steps["vision/pooled"])
    unit = lambda x: x / np.linalg.norm(x, axis=-1, keepdims=True)
    steps["logits_per_image"] = np.exp(a["logit_scale"]) * unit(steps["image_embeds"]) @ unit(steps["text_embeds"]).T
    common = {"num_hidden_layers": layers, "layer_norm_eps": epsilon}
    write("clip", {"model_type": "clip", "projection_dim": joint, "text_config": {
        "hidden_size": 8, "num_attention_heads": 2, "intermediate_size": 12, "vocab_size": 11, "max_position_embeddings": 5,
        "eos_token_id": 2, **common}, "vision_config": {
        "hidden_size": 6, "num_attention_heads": 3, "intermediate_size": 10, "image_size": 4, "patch_size": 2, "hidden_act": "gelu",
        **common}}, a, {"tokens": {"ids": ids.tolist()}, "pixels": {"npy": "pixels.npz"}}, steps)
    save(HERE / "clip" / "pixels.npz", {"pixels": pixels})


def windows_of(grid, window):
    """(B, h, w, d) → (B, windows, places, d)."""
    b, h, w, d = grid.shape
    cut = grid.reshape(b, h // window, window, w // window, window, d).transpose(0, 1, 3, 2, 4, 5)
    return cut.reshape(b, -1, window * window, d)


def grid_of(cut, h, w, window):
    b, d = cut.shape[0], cut.shape[-1]
    return cut.reshape(b, h // window, w // window, window, window, d).transpose(0, 1, 3, 2, 4, 5).reshape(b, h, w, d)


def swin():
    """Liu et al. 2021: q, k and v without biases, and an ε that only the blocks and the last norm have."""
    a, epsilon, usual, window, patch, side, depths, heads = Drawn(61), 1e-3, 1e-5, 2, 2, 4, (2, 1), (1, 2)
    a.draw("swin.embeddings.patch_embeddings.projection.weight", 4, 3, patch, patch), a.draw("swin.embeddings.patch_embeddings.projection.bias", 4)
    a.norm_of("swin.embeddings.norm", 4)
    for s, depth in enumerate(depths):
        d = 4 << s
        for b in range(depth):
            at = f"swin.encoder.layers.{s}.blocks.{b}."
            for part in ("query", "key", "value"):
                a.linear(f"{at}attention.self.{part}", d, d, False)
            a.draw(at + "attention.self.relative_position_bias_table", (2 * window - 1) ** 2, heads[s])
            a.linear(at + "attention.output.dense", d, d), a.linear(at + "intermediate.dense", d, 3 * d), a.linear(at + "output.dense", 3 * d, d)
            a.norm_of(at + "layernorm_before", d), a.norm_of(at + "layernorm_after", d)
    a.norm_of("swin.encoder.layers.0.downsample.norm", 16), a.draw("swin.encoder.layers.0.downsample.reduction.weight", 8, 16)
    a.norm_of("swin.layernorm", 8), a.linear("classifier", 8, 3)
    pixels = a.rng.standard_normal((2, 3, side * patch, side * patch)).astype(np.float32).astype(float)
    norm = lambda name, x, e: layer_norm(x, a[name + ".weight"], a[name + ".bias"], e)
    place = np.stack(np.divmod(np.arange(window ** 2), window), 1)
    offset = place[:, None] - place[None] + window - 1
    row = offset[..., 0] * (2 * window - 1) + offset[..., 1]  # of the table

    def attended(at, y, h, m, shift):
        """(B, h·h, d) → the heads side by side, and their weights in windows, by the query's place on the picture."""
        b, n, d = y.shape
        split = lambda x: windows_of(np.roll(x.reshape(b, h, h, d), (-shift, -shift), (1, 2)), window).reshape(b, -1, window ** 2, m, d // m)
        q, k, v = (split(a.of(f"{at}attention.self.{part}", y)).transpose(0, 3, 1, 2, 4) for part in ("query", "key", "value"))
        scores = q @ k.transpose(0, 1, 2, 4, 3) * (d // m) ** -0.5
        scores = scores + a[at + "attention.self.relative_position_bias_table"][row].transpose(2, 0, 1)[None, :, None]
        region = lambda at: (at >= h - window).astype(int) + (at >= h - shift)  # of the rolled picture: what was apart stays apart
        if shift:
            of = region(np.arange(h))
            of = windows_of((3 * of[:, None] + of[None])[None, :, :, None], window)[0, :, :, 0]
            scores = np.where(of[:, :, None] == of[:, None], scores, -np.inf)
        weights = softmax(scores)
        back = lambda cut: np.roll(grid_of(cut, h, h, window), (shift, shift), (1, 2)).reshape(b, n, -1)
        out = back((weights @ v).transpose(0, 2, 3, 1, 4).reshape(b, -1, window ** 2, d))
        by_query = back(weights.transpose(0, 2, 3, 1, 4).reshape(b, -1, window ** 2, m * window ** 2))
        return out, by_query.reshape(b, n, m, window ** 2).transpose(0, 2, 1, 3)

    x = norm("swin.embeddings.norm", patches_of(a, "swin.embeddings.patch_embeddings.projection", pixels, patch), usual)
    steps, l = {"pixel_values": pixels, "embeddings": x}, 0
    for s, depth in enumerate(depths):
        h = side >> s
        for b in range(depth):
            at = f"swin.encoder.layers.{s}.blocks.{b}."
            steps[f"layer{l}/input"] = x
            shift = window // 2 if b % 2 and h > window else 0
            out, steps[f"layer{l}/weights"] = attended(at, norm(at + "layernorm_before", x, epsilon), h, heads[s], shift)
            x = x + a.of(at + "attention.output.dense", out)
            x = x + a.of(at + "output.dense", gelu(a.of(at + "intermediate.dense", norm(at + "layernorm_after", x, epsilon))))
            l += 1
        if s + 1 < len(depths):
            g = x.reshape(len(x), h, h, -1)
            four = np.concatenate([g[:, 0::2, 0::2], g[:, 1::2, 0::2], g[:, 0::2, 1::2], g[:, 1::2, 1::2]], -1)
            at = f"swin.encoder.layers.{s}.downsample."
            x = norm(at + "norm", four.reshape(len(x), h * h // 4, -1), usual) @ a[at + "reduction.weight"].T
    steps["hidden"], steps["final_norm"] = x, norm("swin.layernorm", x, epsilon)
    steps["pooled"] = steps["final_norm"].mean(1)
    steps["class_logits"] = a.of("classifier", steps["pooled"])
    top(steps, "top_classes", "top_class_probabilities", steps["class_logits"], 2)
    write("swin", {"model_type": "swin", "embed_dim": 4, "depths": depths, "num_heads": heads, "window_size": window, "patch_size": patch,
                   "image_size": side * patch, "layer_norm_eps": epsilon, "qkv_bias": False}, a, {"pixels": {"npy": "pixels.npz"}}, steps)
    save(HERE / "swin" / "pixels.npz", {"pixels": pixels})


def main():
    clip(), swin()


if __name__ == "__main__":
    main()
