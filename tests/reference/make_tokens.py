#!/usr/bin/env python3
"""Reference cases of tokenizers: what must come out of texts, by a plain and slow reading of what tokenizer.json says.

Writes tests/reference/tokens/NAME/{tokenizer.json,expect.json}, and vocab.json, merges.txt, vocab.txt with the configs that
belong to them for the older forms. Running it again gives the same bytes. Python 3.11 and the engine's utf8proc both know
Unicode 14.

Everything is a list of (character, begin, end): bytes of the text as typed. Patterns are run by Python's re, with the
classes that it lacks spelled out; byte pairs are joined one after another, by looking at all of them; unigrams are cut by
trying every last piece.
"""
import base64
import functools
import json
import math
import pathlib
import re
import sys
import unicodedata

root = pathlib.Path(__file__).parent / "tokens"

# ---- texts

texts = [
    "", " ", "The cat sat on the mat.", "it's what we've SEEN; they'LL see", "  two  spaces\tand\r\n\r\n  a break \n ", "naïve café Ünïcode",
    "nai\u0308ve cafe\u0301 q\u0323\u0307 q\u0307\u0323", "\u1112\u1161\u11ab\uae00 각 e\u0302\u0301 ế", "注意 attention力です", "नमस्ते दुनिया", "a👩\u200d👩\u200d👧b 👍🏽!", "x=f(y)//2; if (a&&b) {\n\treturn 12345;\n}",
    "1 22 333 4444 55555 ½ ² Ⅷ ٣٤", "ﬁne ﬀ ｶﾞ ㍿ \u00a0 \u3000x", "<|end|> and [MASK] and </s>, <s>tight<s>", "a [MASK] b\u3000[MASK]", "wordy word words xword", "İstanbul ΑΣ ß ǅ",
    "...!?—“quoted”_under_score", "\u200bzero\u00adwidth\ufeff \x00\x07", "ta ta  ta   ta", "cat's 'Sat 'ſat", "a\u0301\u0301\u0301 \u0301", "aaaaaaaaab", "y" * 104,
    "[CLS] typed [SEP]", "▁typed ▁ ▁▁", "ends with space ", "\n", "<0x41>", "🙂", "Zz Zz",
]
broken = [b"a\xffb", b"caf\xc3", b"\xed\xa0\x80 x\x80\x80", b"\xf0\x9f\x99"]
pairs = [("the cat", "sat on"), ("", "mat"), ("a [MASK]", " b"), ("", "")]

# ---- characters


def typed(data):
    """The characters of bytes; one that is no UTF-8 is U+FFFD."""
    signs, at = [], 0
    while at < len(data):
        for size in (1, 2, 3, 4):
            try:
                signs.append((data[at:at + size].decode(), at, at + size))
                break
            except UnicodeDecodeError:
                pass
        else:
            size = 1
            signs.append(("\ufffd", at, at + 1))
        at += size
    return signs


def text(signs):
    return "".join(c for c, _, _ in signs)


def span(signs):
    return min(b for _, b, _ in signs), max(e for _, _, e in signs)


def is_white(c):
    return ord(c) in (9, 10, 11, 12, 13, 32, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000) or 0x2000 <= ord(c) <= 0x200A


def category(c):
    return unicodedata.category(c)


def is_punctuation(c):
    return ord(c) in [*range(33, 48), *range(58, 65), *range(91, 97), *range(123, 127)] or category(c)[0] == "P"


def is_word(c):
    return category(c)[0] in "LM" or category(c) in ("Nd", "Nl", "Pc") or c in "\u200c\u200d"


@functools.lru_cache(None)
def ranges(test):
    """A class of re without its brackets."""
    made, begin = "", None
    for point in range(sys.maxunicode + 2):
        inside = point <= sys.maxunicode and test(chr(point))
        if inside and begin is None:
            begin = point
        if not inside and begin is not None:
            made += re.escape(chr(begin)) + "-" + re.escape(chr(point - 1))
            begin = None
    return made


def compiled(pattern):
    for name, test in ((r"\p{L}", is_letter), (r"\p{N}", is_number), (r"\s", is_white)):
        out, depth = "", 0
        while pattern:
            if pattern.startswith(name):
                out += ranges(test) if depth else "[" + ranges(test) + "]"
                pattern = pattern[len(name):]
            elif pattern[0] == "\\":
                out, pattern = out + pattern[:2], pattern[2:]
            else:
                depth += {"[": 1, "]": -1}.get(pattern[0], 0)
                out, pattern = out + pattern[0], pattern[1:]
        pattern = out
        if name == r"\s":
            break
    return re.compile(pattern.replace(r"\S", "[^" + ranges(is_white) + "]"))


def is_letter(c):
    return category(c)[0] == "L"


def is_number(c):
    return category(c)[0] == "N"


# ---- normalizers


def decomposed(signs, form):
    out = []
    for c, b, e in signs:
        out += [(d, b, e) for d in unicodedata.normalize(form, c)]
    again = True
    while again:  # marks into the order of their classes
        again = False
        for i in range(len(out) - 1):
            first, second = (unicodedata.combining(out[j][0]) for j in (i, i + 1))
            if first > second > 0:
                out[i], out[i + 1], again = out[i + 1], out[i], True
    return out


def composed(signs, form):
    out = decomposed(signs, form)
    i = 0
    while i < len(out):
        if unicodedata.combining(out[i][0]) == 0:
            j = i + 1
            while j < len(out):
                between = [unicodedata.combining(out[k][0]) for k in range(i + 1, j)]
                own = unicodedata.combining(out[j][0])
                if any(k == 0 or k >= own for k in between):
                    if own == 0:
                        break
                    j += 1
                    continue
                one = unicodedata.normalize("NFC", out[i][0] + out[j][0])
                if len(one) == 1:
                    out[i] = (one, *span([out[i], out[j]]))
                    del out[j]
                    continue
                if own == 0:
                    break
                j += 1
        i += 1
    return out


def clusters(signs):
    """Grapheme clusters, of the kinds that the texts above have."""
    out = []
    for sign in signs:
        c = ord(sign[0])
        before = ord(out[-1][-1][0]) if out else 0
        joins = (category(sign[0]) in ("Mn", "Mc", "Me") or c in (0x200C, 0x200D) or 0x1F3FB <= c <= 0x1F3FF or (before == 13 and c == 10) or
                 (before == 0x200D and c > 0x1F000 and len(out[-1]) > 1) or (0x1160 <= c < 0x1200 and 0x1100 <= before < 0x1200) or c in (0xFF9E, 0xFF9F))
        if out and joins and not is_control(chr(before), c):
            out[-1].append(sign)
        else:
            out.append([sign])
    return out


def is_control(before, c):
    return category(before) in ("Cc", "Zl", "Zp", "Cf") and ord(before) not in (0x200C, 0x200D) and not (ord(before) == 13 and c == 10)


def normalize(part, signs):
    if part is None:
        return signs
    kind = part["type"]
    if kind == "Sequence":
        for one in part["normalizers"]:
            signs = normalize(one, signs)
        return signs
    if kind in ("NFD", "NFKD"):
        return decomposed(signs, kind)
    if kind in ("NFC", "NFKC"):
        return composed(signs, kind.replace("C", "D"))
    if kind == "Lowercase":
        return [(d, b, e) for c, b, e in signs for d in c.lower()]
    if kind == "StripAccents":
        return [s for s in signs if category(s[0]) != "Mn"]
    if kind == "Strip":
        while part["strip_left"] and signs and is_white(signs[0][0]):
            signs = signs[1:]
        while part["strip_right"] and signs and is_white(signs[-1][0]):
            signs = signs[:-1]
        return signs
    if kind == "Prepend":
        return [(c, signs[0][1], signs[0][1]) for c in part["prepend"]] + signs if signs else signs
    if kind == "Replace":
        pattern = re.escape(part["pattern"]["String"]) if "String" in part["pattern"] else part["pattern"]["Regex"]
        out, at = [], 0
        for found in re.finditer(pattern, text(signs)):
            out += signs[at:found.start()] + [(c, *span(signs[found.start():found.end()])) for c in part["content"]]
            at = found.end()
        return out + signs[at:]
    if kind == "BertNormalizer":
        if part["clean_text"]:
            signs = [s for s in signs if s[0] in "\t\n\r" or not (s[0] in "\0\ufffd" or category(s[0])[0] == "C")]
            signs = [(" " if is_white(c) else c, b, e) for c, b, e in signs]
        if part["handle_chinese_chars"]:
            out = []
            for c, b, e in signs:
                alone = any(lo <= ord(c) <= hi for lo, hi in ((0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x2FA1F)))
                out += [(" ", b, b), (c, b, e), (" ", e, e)] if alone else [(c, b, e)]
            signs = out
        if part["lowercase"] if part["strip_accents"] is None else part["strip_accents"]:
            signs = [s for s in decomposed(signs, "NFD") if category(s[0]) != "Mn"]
        return normalize({"type": "Lowercase"}, signs) if part["lowercase"] else signs
    if kind == "Precompiled":
        out = []
        for cluster in clusters(signs):
            found = lookup(text(cluster)) if len(text(cluster).encode()) < 6 else None
            if found is not None:
                out += [(c, *span(cluster)) for c in found]
                continue
            for c, b, e in cluster:
                found = lookup(c)
                out += [(c, b, e)] if found is None else [(d, b, e) for d in found]
        return out
    raise ValueError(kind)


# sentencepiece's table, a small one: what is in it, by its bytes
charsmap = {"\u00a0": " ", "\u3000": " ", "\t": " ", "\n": " ", "\r\n": " ", "ﬁ": "fi", "ﬀ": "ff", "½": "1\u20442", "²": "2", "㍿": "株式会社", "\u200b": "", "\u00ad": "",
            "e\u0301": "é", "i\u0308": "ï", "ｶ": "カ", "ｶﾞ": "ガ", "Ⅷ": "VIII", "\ufeff": "", "a\u0301": "á", "a\u0301\u0301": "never", "👍🏽": "never", "ABC": "never"}


def lookup(word):
    data = word.encode()
    for size in range(1, len(data) + 1):
        for key, value in charsmap.items():
            if key.encode() == data[:size]:
                return value
    return None


def precompiled_charsmap():
    """Darts-clone's array: a unit is a label, or a leaf's value, and where its children begin."""
    values, blob = {}, b""
    for key, value in charsmap.items():
        values[key.encode()] = len(blob)
        blob += value.encode() + b"\0"
    units, taken = {0: 0}, {0}

    def place(node, prefix):
        children = sorted({k[len(prefix)] for k in values if k.startswith(prefix) and len(k) > len(prefix)} | ({0} if prefix in values else set()))
        base = next(b for b in range(1, 1 << 20) if all((node ^ b ^ c) not in taken for c in children))
        taken.update(node ^ base ^ c for c in children)
        units[node] = units.get(node, 0) | base << 10 | (256 if 0 in children else 0)
        for c in children:
            at = node ^ base ^ c
            if c == 0:
                units[at] = values[prefix] | 1 << 31
            else:
                units[at] = c
                place(at, prefix + bytes([c]))

    place(0, b"")
    array = b"".join(units.get(i, 0).to_bytes(4, "little") for i in range(max(units) + 1))
    return base64.b64encode(len(array).to_bytes(4, "little") + array + blob).decode()


# ---- pre-tokenizers

visible = [b for b in range(256) if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174]
letters = {b: chr(b) for b in visible}
letters.update({b: chr(256 + i) for i, b in enumerate(b for b in range(256) if b not in visible)})


def as_bytes(c, b, e):
    data = c.encode()
    return [(letters[d], b + i, b + i + 1) if len(data) == e - b else (letters[d], b, e) for i, d in enumerate(data)]


def by_matches(word, matches, behavior):
    """The pieces of a word, of which [begin, end) of `matches` are what parts it."""
    pieces, at = [], 0
    for begin, end in matches:
        pieces += [(at, begin, False)] * (at < begin) + [(begin, end, True)] * (begin < end)
        at = end
    pieces += [(at, len(word), False)] * (at < len(word))
    if behavior == "Removed":
        pieces = [p for p in pieces if not p[2]]
    out = []
    for p in pieces if behavior != "MergedWithNext" else reversed(pieces):
        last = out[-1] if out else None
        if behavior == "Contiguous" and last and last[2] == p[2]:
            out[-1] = (last[0], p[1], p[2])
        elif behavior == "MergedWithPrevious" and last and p[2] and not last[2]:
            out[-1] = (last[0], p[1], True)
        elif behavior == "MergedWithNext" and last and p[2] and not last[2]:
            out[-1] = (p[0], last[1], True)
        else:
            out.append(p)
    if behavior == "MergedWithNext":
        out.reverse()
    return [word[b:e] for b, e, _ in out]


def each(word, test):
    return [(i, i + 1) for i, s in enumerate(word) if test(s[0])]


gpt2 = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
llama3 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
qwen2 = llama3.replace("{1,3}", "")
regex = functools.lru_cache(None)(compiled)


def pre_tokenize(part, words):
    """words: of (signs, whether it begins the text)"""
    if part is None:
        return words
    kind = part["type"]
    if kind == "Sequence":
        for one in part["pretokenizers"]:
            words = pre_tokenize(one, words)
        return words
    out = []
    for word, first in words:
        if kind == "ByteLevel":
            if part["add_prefix_space"] and word[0][0] != " ":
                word = [(" ", word[0][1], word[0][1])] + word
            cut = by_matches(word, [m.span() for m in regex(gpt2).finditer(text(word))], "Isolated") if part.get("use_regex", True) else [word]
            cut = [[d for s in w for d in as_bytes(*s)] for w in cut]
        elif kind == "Split":
            cut = by_matches(word, [m.span() for m in regex(part["pattern"]["Regex"]).finditer(text(word))], part["behavior"])
        elif kind == "Metaspace":
            scheme = part.get("prepend_scheme", "always" if part.get("add_prefix_space", True) else "never")
            word = [(c.replace(" ", "▁"), b, e) for c, b, e in word]
            if word[0][0] != "▁" and (scheme == "always" or scheme == "first" and first):
                word = [("▁", word[0][1], word[0][1])] + word
            cut = by_matches(word, each(word, lambda c: c == "▁"), "MergedWithNext") if part.get("split", True) else [word]
        elif kind == "BertPreTokenizer":
            cut = [p for w in by_matches(word, each(word, is_white), "Removed") for p in by_matches(w, each(w, is_punctuation), "Isolated")]
        elif kind == "WhitespaceSplit":
            cut = by_matches(word, each(word, is_white), "Removed")
        elif kind == "Whitespace":
            found = re.finditer(rf"[{ranges(is_word)}]+|[^{ranges(is_word)}{ranges(is_white)}]+", text(word))
            cut = [word[m.start():m.end()] for m in found]
        elif kind == "Digits":
            cut = by_matches(word, each(word, is_number), "Isolated" if part["individual_digits"] else "Contiguous")
        elif kind == "Punctuation":
            cut = by_matches(word, each(word, is_punctuation), part["behavior"])
        else:
            raise ValueError(kind)
        out += [(w, first and i == 0) for i, w in enumerate(cut)]
    return out


# ---- models


def bpe(model, word):
    vocab = model["vocab"]
    ranks = {tuple(m.split(" ") if isinstance(m, str) else m): i for i, m in enumerate(model["merges"])}
    if model.get("ignore_merges") and text(word) in vocab:
        return [(text(word), *span(word))]
    parts, fuses = [], False
    for c, b, e in word:
        fallen = [f"<0x{d:02X}>" for d in c.encode()]
        if c in vocab:
            parts.append((c, b, e))
        elif model.get("byte_fallback") and all(f in vocab for f in fallen):
            alone = len(fallen) == e - b
            parts += [(f, b + i, b + i + 1) if alone else (f, b, e) for i, f in enumerate(fallen)]
        elif model.get("unk_token"):
            if fuses and model.get("fuse_unk"):
                parts[-1] = (parts[-1][0], *span([parts[-1], (c, b, e)]))
            else:
                parts.append((model["unk_token"], b, e))
            fuses = True
            continue
        fuses = False
    while True:
        known = [(ranks[parts[i][0], parts[i + 1][0]], i) for i in range(len(parts) - 1) if (parts[i][0], parts[i + 1][0]) in ranks]
        if not known:
            return parts
        _, i = min(known)
        parts[i:i + 2] = [(parts[i][0] + parts[i + 1][0], *span(parts[i:i + 2]))]


def word_piece(model, word):
    parts, at = [], 0
    while at < len(word) and len(word) <= model["max_input_chars_per_word"]:
        for end in range(len(word), at, -1):
            token = (model["continuing_subword_prefix"] if at else "") + text(word[at:end])
            if token in model["vocab"]:
                parts.append((token, *span(word[at:end])))
                at = end
                break
        else:
            break
    return parts if at == len(word) else [(model["unk_token"], *span(word))]


def unigram(model, word):
    scores = dict(map(tuple, model["vocab"]))
    unknown = min(scores.values()) - 10
    ways = [(0.0, [])]
    for end in range(1, len(word) + 1):
        best = None
        for begin in range(end):  # the longest last piece first: a later one must be better
            piece = text(word[begin:end])
            if piece in scores:
                score, token = scores[piece], piece
            elif end - begin == 1:
                score, token = unknown, None
            else:
                continue
            if best is None or ways[begin][0] + score > best[0]:
                best = (ways[begin][0] + score, ways[begin][1] + [(token, begin, end)])
        ways.append(best)
    parts = []
    for token, begin, end in ways[-1][1]:
        token = None if token == model["vocab"][model["unk_id"]][0] else token
        if token is None and parts and parts[-1][0] is None:
            parts[-1] = (None, parts[-1][1], end)
        else:
            parts.append((token, begin, end))
    out = []
    for token, begin, end in parts:
        fallen = [[f"<0x{d:02X}>" for d in s[0].encode()] for s in word[begin:end]]
        if token is not None or text(word[begin:end]) in scores:
            out.append((token or text(word[begin:end]), *span(word[begin:end])))
        elif model.get("byte_fallback") and all(f in scores for fs in fallen for f in fs):
            for (c, b, e), fs in zip(word[begin:end], fallen):
                alone = len(fs) == e - b
                out += [(f, b + i, b + i + 1) if alone else (f, b, e) for i, f in enumerate(fs)]
        else:
            out.append((model["vocab"][model["unk_id"]][0], *span(word[begin:end])))
    return out


models = {"BPE": bpe, "WordPiece": word_piece, "Unigram": unigram}

# ---- all of it


def cut_by(tokens, signs):
    """[(token or None, signs)], the leftmost and longest first."""
    out, at, rest = [], 0, []
    while at < len(signs):
        here = [t for t in tokens if text(signs[at:at + len(t["match"])]) == t["match"]]
        if not here:
            rest.append(signs[at])
            at += 1
            continue
        token = max(here, key=lambda t: len(t["match"]))
        found, at = signs[at:at + len(token["match"])], at + len(token["match"])
        before = signs[at - len(found) - 1][0] if at > len(found) else " "
        after = signs[at][0] if at < len(signs) else " "
        if token["single_word"] and (is_word(before) or is_word(after)):
            rest += found
            continue
        while token["lstrip"] and rest and is_white(rest[-1][0]):
            found.insert(0, rest.pop())
        while token["rstrip"] and at < len(signs) and is_white(signs[at][0]):
            found.append(signs[at])
            at += 1
        out += [(None, rest)] if rest else []
        out.append((token, found))
        rest = []
    return out + ([(None, rest)] if rest else [])


def tokens_of(spec, data):
    added = spec["added_tokens"]
    raw = [dict(t, match=t["content"]) for t in added if not t["normalized"]]
    later = [dict(t, match=text(normalize(spec["normalizer"], typed(t["content"].encode())))) for t in added if t["normalized"]]
    out = []
    for token, part in cut_by(raw, typed(data)):
        if token:
            out.append((token["content"], *span(part)))
            continue
        first = part[0][1] == 0
        for found, own in cut_by(later, normalize(spec["normalizer"], part)):
            if found:
                out.append((found["content"], *span(own)))
                continue
            for word, _ in pre_tokenize(spec["pre_tokenizer"], [(own, first)]):
                if word:
                    out += models[spec["model"]["type"]](spec["model"], word)
            first = False
    return out


def steps_of(post, pair):
    """[(text number or None, token, type)]"""
    if post is None or post["type"] == "ByteLevel":
        return [(0, None, 0), (1, None, 1)][:2 if pair else 1]
    if post["type"] == "Sequence":
        return steps_of(next(p for p in post["processors"] if p["type"] != "ByteLevel"), pair)
    if post["type"] == "TemplateProcessing":
        out = []
        for step in post["pair" if pair else "single"]:
            (kind, inner), = step.items()
            if kind == "Sequence":
                out.append(("AB".index(inner["id"]), None, inner["type_id"]))
            else:
                out += [(None, t, inner["type_id"]) for t in post["special_tokens"][inner["id"]]["tokens"]]
        return out
    cls, sep = post["cls"][0], post["sep"][0]
    second = 1 if post["type"] == "BertProcessing" else 0
    single = [(None, cls, 0), (0, None, 0), (None, sep, 0)]
    return single + ([(None, sep, 0)] * (1 - second) + [(1, None, second), (None, sep, second)] if pair else [])


def expected(spec, first, second=None):
    vocab = spec["model"]["vocab"]
    ids = dict(vocab) if isinstance(vocab, dict) else {t: i for i, (t, _) in enumerate(vocab)}
    for t in spec["added_tokens"]:
        ids.setdefault(t["content"], t["id"])
    out = {"ids": [], "tokens": [], "offsets": [], "type_ids": []}
    for number, token, kind in steps_of(spec["post_processor"], second is not None):
        found = [(token, -1, -1)] if number is None else tokens_of(spec, (first, second)[number])
        for name, begin, end in found:
            out["ids"].append(ids[name])
            out["tokens"].append(name)
            out["offsets"].append([begin, end])
            out["type_ids"].append(kind)
    return out


def dump(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n", encoding="utf-8")


def case(name, spec, more=()):
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    dump(folder / "tokenizer.json", spec)
    answers = [{"text": t, **expected(spec, t.encode())} for t in texts + list(more)]
    answers += [{"hex": data.hex(), **expected(spec, data)} for data in broken]
    answers += [{"text": a, "pair": b, **expected(spec, a.encode(), b.encode())} for a, b in pairs]
    dump(folder / "expect.json", answers)
    return folder


# ---- vocabularies: what joins most often in the texts

corpus = " ".join(texts[2:8] + texts[11:15] + ["the cat sat on the mat and the words of the end"] * 3)


def trained(words, count):
    merges = []
    words = [list(w) for w in words]
    for _ in range(count):
        seen = {}
        for w in words:
            for p in zip(w, w[1:]):
                seen[p] = seen.get(p, 0) + 1
        if not seen:
            break
        best = max(sorted(seen), key=lambda p: seen[p])
        merges.append(best)
        for w in words:
            i = 0
            while i < len(w) - 1:
                if (w[i], w[i + 1]) == best:
                    w[i:i + 2] = [w[i] + w[i + 1]]
                i += 1
    return merges


def numbered(tokens):
    return {t: i for i, t in enumerate(dict.fromkeys(tokens))}


def added(content, number, **more):
    return {"id": number, "content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True, **more}


def spec(model, normalizer=None, pre_tokenizer=None, post_processor=None, added_tokens=()):
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": list(added_tokens), "normalizer": normalizer,
            "pre_tokenizer": pre_tokenizer, "post_processor": post_processor, "decoder": None, "model": model}


byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
byte_words = [text(w) for w, _ in pre_tokenize(byte_level, [(typed(corpus.encode()), True)])]
byte_merges = trained(byte_words, 60)
byte_tokens = [letters[b] for b in sorted(letters)] + [a + b for a, b in byte_merges]


def byte_bpe(specials=(), pairs_as_lists=False, **more):
    vocab = numbered(byte_tokens + list(specials))
    merges = [list(m) if pairs_as_lists else " ".join(m) for m in byte_merges]
    return {"type": "BPE", "dropout": None, "unk_token": None, "vocab": vocab, "merges": merges, **more}


def older(folder, model, **configs):
    dump(folder / "vocab.json", model["vocab"])
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(model["merges"]) + "\n", encoding="utf-8")
    for name, config in configs.items():
        dump(folder / f"{name}.json", config)


def main():
    plain = byte_bpe(["<|endoftext|>"])
    folder = case("gpt2", spec(plain, None, byte_level, {"type": "ByteLevel", "trim_offsets": False}, [added("<|endoftext|>", len(plain["vocab"]) - 1)]))
    older(folder, plain)

    llama = byte_bpe(pairs_as_lists=True, ignore_merges=True)
    llama["vocab"]["words"] = len(llama["vocab"])  # whole, though nothing joins to it
    size = len(llama["vocab"])
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"SpecialToken": {"id": "<|begin|>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<|begin|>", "type_id": 1}},
                         {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<|begin|>": {"id": "<|begin|>", "ids": [size], "tokens": ["<|begin|>"]}}}
    split = {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": llama3}, "behavior": "Isolated", "invert": False}, dict(byte_level, use_regex=False)]}
    case("llama3", spec(llama, None, split, {"type": "Sequence", "processors": [{"type": "ByteLevel"}, template]}, [added("<|begin|>", size), added("<|end|>", size + 1)]))

    qwen = byte_bpe()
    size = len(qwen["vocab"])
    split = {"type": "Sequence", "pretokenizers": [{"type": "Split", "pattern": {"Regex": qwen2}, "behavior": "Isolated", "invert": False}, dict(byte_level, use_regex=False)]}
    folder = case("qwen2", spec(qwen, {"type": "NFC"}, split, None, [added("<|end|>", size), added("ta ", size + 1, special=False, normalized=True),
                                                                  added("word", size + 2, special=False, normalized=True, single_word=True)]))

    roberta = byte_bpe(["<s>", "</s>", "<unk>", "<pad>", "<mask>", "[MASK]"])
    ids = roberta["vocab"]
    marks = [added(t, ids[t]) for t in ("<s>", "</s>", "<unk>", "<pad>")] + [added("[MASK]", ids["[MASK]"], lstrip=True)]
    folder = case("roberta", spec(roberta, None, byte_level, {"type": "RobertaProcessing", "cls": ["<s>", ids["<s>"]], "sep": ["</s>", ids["</s>"]], "trim_offsets": True,
                                                              "add_prefix_space": False}, marks))
    older(folder, roberta, config={"model_type": "roberta"}, special_tokens_map={"mask_token": "[MASK]"})
    case("prefix_space", spec(roberta, {"type": "NFKC"}, dict(byte_level, add_prefix_space=True), None, [added("[MASK]", ids["[MASK]"], rstrip=True)]))

    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *".,:;!?'()-=/_\"&{}"] + [chr(c) for c in range(97, 123)] + list("0123456789注意力")
    pieces += ["##" + c for c in "abcdefghijklmnopqrstuvwxyz0123456789"] + ["the", "cat", "sat", "on", "and", "see", "##ed", "##ing", "two", "word", "##s", "##er", "if", "return", "spa", "##ces"]
    word = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": numbered(pieces)}
    ids = word["vocab"]
    marks = [added(t, ids[t]) for t in pieces[:5]]
    bert = {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True}
    post = {"type": "BertProcessing", "cls": ["[CLS]", ids["[CLS]"]], "sep": ["[SEP]", ids["[SEP]"]]}
    folder = case("bert", spec(word, bert, {"type": "BertPreTokenizer"}, post, marks))
    (folder / "vocab.txt").write_text("\n".join(ids) + "\n", encoding="utf-8")
    case("bert_cased", spec(word, dict(bert, lowercase=False, clean_text=False), {"type": "BertPreTokenizer"}, post, marks))
    for behavior in ("Removed", "Isolated", "MergedWithPrevious", "MergedWithNext", "Contiguous"):
        rough = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": behavior}, {"type": "Digits", "individual_digits": behavior == "Isolated"}]}
        if behavior == "Removed":
            rough = {"type": "Whitespace"}
        tidy = {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "StripAccents"}, {"type": "Lowercase"}, {"type": "Strip", "strip_left": True, "strip_right": behavior == "Isolated"}]}
        case("rough_" + behavior.lower(), spec(word, tidy, rough))

    pieces = ["<unk>", "<s>", "</s>"] + [f"<0x{b:02X}>" for b in range(256)]
    merges = trained(["▁" + w for w in corpus.lower().split()], 60)
    model = {"type": "BPE", "dropout": None, "unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True,
             "vocab": numbered(pieces + sorted({c for m in merges for w in m for c in w}) + [a + b for a, b in merges]), "merges": [" ".join(m) for m in merges]}
    spaces = [{"type": "Prepend", "prepend": "▁"}, {"type": "Replace", "pattern": {"String": " "}, "content": "▁"}]
    marks = [added(t, i) for i, t in enumerate(pieces[:3])]
    template = {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
                "pair": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "<s>", "type_id": 1}}, {"Sequence": {"id": "B", "type_id": 1}}],
                "special_tokens": {"<s>": {"id": "<s>", "ids": [1], "tokens": ["<s>"]}}}
    case("llama", spec(model, {"type": "Sequence", "normalizers": spaces}, None, template, marks))
    first = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": False}
    case("llama_first", spec(dict(model, byte_fallback=False), None, first, template, marks))
    case("unknown_apart", spec(dict(model, byte_fallback=False, fuse_unk=False), None, dict(first, prepend_scheme="never", split=True), None, marks))
    case("no_unknown", spec(dict(model, byte_fallback=False, unk_token=None), {"type": "NFKD"}, {"type": "Metaspace", "replacement": "▁", "add_prefix_space": True}, None, marks))

    pieces = sorted({c for c in corpus.replace("Z", "") if not is_white(c)} | {"▁", "カ", "ガ"})
    scored = [["<pad>", 0.0], ["</s>", 0.0], ["<unk>", 0.0], ["▁the", -2.5], ["▁cat", -3.5], ["▁s", -3.0], ["at", -2.0], ["▁a", -2.25], ["▁aa", -4.5], ["aa", -2.5], ["aaa", -3.75], ["aaaa", -5.0],
              ["▁word", -4.0], ["s", -1.75], ["wor", -4.0], ["▁sat", -5.0], ["fi", -4.0], ["ne", -3.25], ["an", -3.0], ["▁and", -3.5], ["ta", -2.0], ["▁ta", -2.75], ["▁t", -2.5], ["▁▁", -6.0]]
    known = {t for t, _ in scored}
    scored += [[c, -6.0 - (i % 7) / 4] for i, c in enumerate(pieces) if c not in known]
    uni = {"type": "Unigram", "unk_id": 2, "vocab": scored, "byte_fallback": False}
    post = {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
            "special_tokens": {"</s>": {"id": "</s>", "ids": [1], "tokens": ["</s>"]}}}
    marks = [added(t, i) for i, t in enumerate(("<pad>", "</s>", "<unk>"))]
    table = {"type": "Precompiled", "precompiled_charsmap": precompiled_charsmap()}
    always = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
    case("t5", spec(uni, table, {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, always]}, post, marks))
    fewer = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
    case("t5_newer", spec(dict(uni, byte_fallback=True), {"type": "Sequence", "normalizers": [table, {"type": "Strip", "strip_left": False, "strip_right": True}, fewer]}, always, post, marks))
    fallen = scored + [[f"<0x{b:02X}>", -9.0] for b in range(256)]
    folds = [{"type": "Replace", "pattern": {"String": "``"}, "content": "\""}, {"type": "NFKD"}, {"type": "StripAccents"}, {"type": "Lowercase"}]
    # Not every byte has a token, and no added token takes "<unk>" out of the text.
    few = scored + [[f"<0x{b:02X}>", -9.0] for b in range(256) if b != 0x99]
    case("few_bytes", spec(dict(uni, vocab=few, byte_fallback=True), None, always), ("Z", "🙂", "Z🙂", "<unk>", "a<unk>Z", "Z <unk> Z<unk>", "<unk>🙂"))
    case("albert", spec(dict(uni, vocab=fallen, byte_fallback=True), {"type": "Sequence", "normalizers": folds}, always, None, marks))


if __name__ == "__main__":
    main()
