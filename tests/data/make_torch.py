#!/usr/bin/python3
"""Writes tests/data/arrays/torch: files as torch.save() makes them, what must be read from them (expected_torch.txt, in
the form of expected.txt), and in refused/ what must not be read. Needs Debian's python3-torch; the tests need only the
files. Running it again gives the same bytes with the same torch (written with 1.13).
"""

import argparse
import collections
import io
import os
import pickle
import sys
import types as types_of_python
import zipfile

import torch

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "arrays", "torch")
os.makedirs(os.path.join(folder, "refused"), exist_ok=True)
expected = []
torch.manual_seed(0)


def expect(file, tensors):
    for name, tensor in tensors.items():
        dtype = str(tensor.dtype).replace("torch.", "")
        shape = ",".join(str(extent) for extent in tensor.shape)
        values = [float(value).hex() for value in tensor.detach().to(torch.float32).flatten().tolist()]
        expected.append("\t".join(["torch/" + file, name, dtype, shape] + values))


def save(file, value, **options):
    torch.save(value, os.path.join(folder, file), **options)


def types():
    values = [0, 1, -2.5, 1 / 3, 100, 7]
    state = collections.OrderedDict()
    for dtype in ("float32", "float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"):
        state[dtype] = torch.tensor([abs(v) for v in values] if dtype == "uint8" else values).to(getattr(torch, dtype)).reshape(2, 3)
    rows = torch.arange(24, dtype=torch.float32).reshape(4, 6)
    state["transposed"] = rows.t()
    state["part"] = rows[1:3, 2:5]
    state["every_second"] = rows[::2, ::3]
    state["repeated"] = torch.tensor([[1.5], [2.5]]).expand(2, 4)
    state["parameter"] = torch.nn.Parameter(rows[0])
    state["tied"] = state["parameter"]
    state["scalar"] = torch.tensor(3.25)
    state["empty"] = torch.zeros(0, 3)
    return state


def checkpoint():
    weights = collections.OrderedDict([("layer.weight", torch.randn(2, 3)), ("layer.bias", torch.randn(2))])
    return {
        "args": argparse.Namespace(lr=0.1, layers=[1, 2]),
        "epoch": 3,
        "seed": 1 << 100,
        "history": [0.5, None, True, b"bytes"],
        "model": weights,
        "optimizer": {"state": {0: {"momentum_buffer": torch.randn(2, 3)}}, "param_groups": [{"lr": 0.1, "params": [0, 1]}]},
    }


class Call:
    """Unpickled by others, it opens a file for writing."""

    def __reduce__(self):
        return io.open, ("headlight_was_here", "w")


def output(**fields):
    """As the Transformers library pickles what a model gives back: a dict of what is there, and all fields beside it."""
    module = types_of_python.ModuleType("transformers.modeling_outputs")
    sys.modules["transformers"] = types_of_python.ModuleType("transformers")
    sys.modules[module.__name__] = module

    class BaseModelOutputWithPooling(collections.OrderedDict):
        def __reduce__(self):
            return type(self), tuple(fields.values()), fields, None, iter(self.items())

    BaseModelOutputWithPooling.__module__ = module.__name__
    BaseModelOutputWithPooling.__qualname__ = "BaseModelOutputWithPooling"
    module.BaseModelOutputWithPooling = BaseModelOutputWithPooling
    return BaseModelOutputWithPooling({name: value for name, value in fields.items() if value is not None})


def rewritten(file, source, change):
    """The zip `source` with its members changed."""
    with zipfile.ZipFile(os.path.join(folder, source)) as old, zipfile.ZipFile(os.path.join(folder, file), "w") as new:
        members = {info.filename.split("/", 1)[1]: old.read(info) for info in old.infolist()}
        change(members)
        for name, data in members.items():
            new.writestr(zipfile.ZipInfo("mine/" + name), data)


def pickled(file, data):
    """A file whose pickle holds these bytes, and no tensor."""
    with zipfile.ZipFile(os.path.join(folder, file), "w") as new:
        new.writestr(zipfile.ZipInfo("mine/data.pkl"), data)


def replaced(old, new):
    def change(members):
        assert old in members["data.pkl"]
        members["data.pkl"] = members["data.pkl"].replace(old, new, 1)
    return change


save("types.pt", types())
expect("types.pt", types())
torch.manual_seed(1)
save("checkpoint.pt", checkpoint())
torch.manual_seed(1)
expect("checkpoint.pt", checkpoint()["model"])
layers = [torch.full((1, 2, 3, 3), float(layer)) for layer in range(3)]
save("layers.pt", tuple(layers))
expect("layers.pt", {str(i): layer for i, layer in enumerate(layers)})
save("nested.pt", {"out": {"attentions": layers, "other": torch.ones(2)}, "text": "a b"}, pickle_protocol=4)
expect("nested.pt", {**{f"attentions.{i}": layer for i, layer in enumerate(layers)}, "other": torch.ones(2)})
save("single.pt", torch.arange(4.0))
expect("single.pt", {"single": torch.arange(4.0)})
loop = [torch.arange(2.0)]
loop.append(loop)
save("loop.pt", loop)
expect("loop.pt", {"0": torch.arange(2.0)})

hidden = torch.arange(6.0).reshape(1, 3, 2)
save("output.pt", output(last_hidden_state=hidden, attentions=tuple(layers), cross_attentions=None))
expect("output.pt", {"last_hidden_state": hidden, **{f"attentions.{i}": layer for i, layer in enumerate(layers)}})
save("no_attention.pt", output(last_hidden_state=hidden, attentions=None))
expect("no_attention.pt", {"last_hidden_state": hidden})

small = collections.OrderedDict([("w", torch.arange(6.0).reshape(2, 3))])
save("small.pt", small)
expect("small.pt", small)
save("refused/call.pt", Call())
save("refused/no_tensors.pt", {"a": 1})
save("refused/old.pt", small, _use_new_zipfile_serialization=False)
save("refused/several.pt", {"a": small, "b": small.copy()})
deep = torch.ones(1)
for _ in range(150):
    deep = [deep]
save("refused/deep.pt", deep)
rewritten("refused/no_numbers.pt", "small.pt", lambda members: members.pop("data/0"))
rewritten("refused/short.pt", "small.pt", lambda members: members.update({"data/0": members["data/0"][:20]}))
rewritten("refused/big_endian.pt", "small.pt", lambda members: members.update({"byteorder": b"big"}))
rewritten("refused/stride.pt", "small.pt", replaced(b"K\x03K\x01\x86", b"K\x04K\x01\x86"))
rewritten("refused/offset.pt", "small.pt", replaced(b"QK\x00K\x02", b"QK\x01K\x02"))
rewritten("refused/storage.pt", "small.pt", replaced(b"FloatStorage", b"QInt8Storage"))
pickled("refused/inst.pt", b"\x80\x02(X\x01\x00\x00\x00aios\nsystem\n.")
pickled("refused/cut.pt", b"\x80\x02}X\x10\x00\x00\x00a")
pickled("refused/protocol.pt", b"\x80\x01}.")
pickled("refused/stack.pt", b"\x80\x02t.")
with open(os.path.join(folder, "..", "expected_torch.txt"), "w", encoding="utf-8") as file:
    file.write("\n".join(expected) + "\n")
