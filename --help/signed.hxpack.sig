{
  "schema": "helixor.pack_signature.v1",
  "key_id": "791573c916496d5124a3522c6035e80aaafdae015b45fa7296b94e7b56c14434",
  "pack_id": "compliance.regulatory_pii_guard.v1",
  "file_sha256": "29ed14c5ee02b2d0de92b0ae4a93f15d1efe3d43d48c1611d650b32a26ea2035",
  "signed_at": "2026-11-30T19:27:06Z",
  "signature": "1k3cBV+GOaXYhUX5tXfSCz43SJgPIzQbTPIEQByD3wKoIdfaHEhPthDan/WyHIK3MBQS8LEPTPm7h9KeT3LZAw=="
}
