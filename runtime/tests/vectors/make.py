"""Makes the files beside it, independently of the runtime (needs the package `cryptography`).

The key material is made up and public; nothing believes this authority.
"""

import base64
import hashlib
import hmac
import json
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = Path(__file__).parent
PACK_ID = "example.vector.v1"


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def hkdf_sha256(secret, info):
    extracted = hmac.digest(bytes(32), secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


authority = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
public = authority.public_key()
spki = public.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
content_key = bytes(range(32, 64))
licence = {
    "schema": "helixor.license.v1",
    "license_id": "vector-1",
    "tenant_id": "Müller \N{GRINNING FACE} \u2028",
    "tier": "EXPERT",
    "license_model": "PERPETUAL",
    "issued_at": "2026-01-01T00:00:00Z",
    "not_before": None,
    "expires_at": None,
    "licensed_packs": ["example.*"],
    "licensed_solvers": [],
    "features": [],
    "limits": {"max_decisions": 18446744073709551615, "max_decisions_per_second": None, "enforcement_mode": "observe"},
    "content_key": base64.b64encode(content_key).decode(),
    "key_id": hashlib.sha256(spki).hexdigest(),
}
signature = authority.sign(b"helixor.license.v1\n" + compact(licence).encode())
licence["signature"] = base64.b64encode(signature).decode()

playbook = compact({"pack_id": PACK_ID, "text": "ü"}).encode()
key = hkdf_sha256(content_key, b"helixor.hxpack.v1:" + PACK_ID.encode())
nonce = bytes(range(12))
sealed = AESGCM(key).encrypt(nonce, playbook, f"{PACK_ID}:vector-1".encode())
pack = b"HXPK" + (1).to_bytes(2, "big") + len(PACK_ID).to_bytes(2, "big") + PACK_ID.encode()
pack += nonce + hashlib.sha256(playbook).digest() + sealed

(HERE / "license.hxlic").write_text(json.dumps(licence, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
(HERE / "authority.pem").write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
(HERE / "pack.hxpack").write_bytes(pack)
(HERE / "playbook.json").write_bytes(playbook)
