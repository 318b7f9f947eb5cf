"""Makes what canonical JSON is tested with, by CPython: `canonical.py SEED COUNT`.

Lines of three kinds: `float BITS REPR`; `document MESSY COMPACT SPACED`, the same value written
with any spacing, key order and escaping, and in the two canonical styles; `refused MESSY`.
Fields are separated by tabs; JSON never holds one here.
"""

import json
import random
import struct
import sys

seed, count = int(sys.argv[1]), int(sys.argv[2])
rng = random.Random(seed)


def floats():
    """Yield floats of every kind, the hard ones of shortest printing among them."""
    for _ in range(count):
        yield struct.unpack("<d", rng.randbytes(8))[0]
        yield rng.uniform(1e14, 1e16)
        # Ties: the exact value lies halfway between two shortest candidates.
        yield rng.randrange(10**14, 10**16) + rng.choice([0.5, 0.25, 0.75, 0.125])
        yield rng.randrange(2**53, 2**63) * 2.0 ** rng.randrange(-80, 80)
        yield 2.0 ** rng.randrange(-1074, 1024)
        near = float(f"1e{rng.randrange(-320, 308)}")
        for _ in range(rng.randrange(4)):
            near = struct.unpack(
                "<d", struct.pack("<q", struct.unpack("<q", struct.pack("<d", near))[0] + 1)
            )[0]
        yield near
        yield rng.randrange(10**6) / 10 ** rng.randrange(9)


def text():
    """Make a text with escapes, surrogate pairs, control and line-separator characters."""
    alphabet = ' a"\\/\b\f\n\r\x00\x1f\x7f\x80é\u2028\ud7ff\ue000\uffff😀\U0010ffff'
    return "".join(rng.choice(alphabet) for _ in range(rng.randrange(8)))


def value(depth):
    """Make a value."""
    kind = rng.randrange(8 if depth else 6)
    if kind == 0:
        return rng.choice([None, True, False])
    if kind == 1:
        return rng.choice([0, -1, 2**63, 2**64 - 1, -(2**63), rng.randrange(-1000, 1000)])
    if kind == 2:
        return rng.choice([0.0, -0.0, 1e16, 1e15, 1e-5, 0.1, 5e-324, rng.uniform(-1e6, 1e6)])
    if kind < 6:
        return text()
    if kind == 6:
        return [value(depth - 1) for _ in range(rng.randrange(5))]
    return {text(): value(depth - 1) for _ in range(rng.randrange(5))}


def string(s):
    """Write a text with escapes chosen at random."""
    out = []
    for c in s:
        plain = c >= " " and c not in '"\\'
        if plain and rng.random() < 0.5:
            out.append(c)
        elif c == "/" and rng.random() < 0.5:
            out.append("\\/")
        elif rng.random() < 0.5:
            escaped = json.dumps(c)[1:-1]
            out.append(
                escaped.upper().replace("\\U", "\\u") if escaped.startswith("\\u") else escaped
            )
        else:
            units = c.encode("utf-16-be")
            out += [f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2)]
    return '"' + "".join(out) + '"'


def messy(v):
    """Write a value with any spacing and key order."""
    s = rng.choice(["", " ", "\r", "  "])
    if isinstance(v, dict):
        items = [
            f"{s}{string(k)}{s}:{s}{messy(x)}{s}" for k, x in rng.sample(list(v.items()), len(v))
        ]
        return "{" + (",".join(items) or s) + "}"
    if isinstance(v, list):
        return "[" + (",".join(f"{s}{messy(x)}{s}" for x in v) or s) + "]"
    return string(v) if isinstance(v, str) else json.dumps(v)


def out(*fields):
    """Write a line; carriage returns inside documents are spelled out for the line reader."""
    print("\t".join(fields).replace("\r", "\\CR"))


for f in floats():
    if f == f and abs(f) != float("inf"):
        out("float", f"{struct.unpack('<Q', struct.pack('<d', f))[0]:016x}", repr(f))
for _ in range(count):
    v = value(4)
    m = messy(v)
    out(
        "document",
        m,
        json.dumps(v, sort_keys=True, separators=(",", ":")),
        json.dumps(v, sort_keys=True),
    )
    # A document that is cut short is none, unless only space or digits are lost.
    cut = m[: rng.randrange(len(m))]
    try:
        json.loads(cut)
    except ValueError:
        out("refused", cut)
