{
  "schema": "helixor.pack_signature.v1",
  "key_id": "719ad21f5c7e9968342c160ad1e589ac59e1669707d0806c864b0128e4ef6db6",
  "pack_id": "compliance.regulatory_pii_guard.v1",
  "file_sha256": "29ed14c5ee02b2d0de92b0ae4a93f15d1efe3d43d48c1611d650b32a26ea2035",
  "signed_at": "2026-11-30T19:27:06Z",
  "signature": "wXAc8iS5AXcQYuoQdjH05H8Snwv9uie3jfBWrf+9PhEK7zVK5s6uFUHfupWd2eNVYz6fOvHkdbSXDw84HdonBg=="
}
