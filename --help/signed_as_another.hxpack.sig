{
  "schema": "helixor.pack_signature.v1",
  "key_id": "791573c916496d5124a3522c6035e80aaafdae015b45fa7296b94e7b56c14434",
  "pack_id": "acme.loan_desk.v1",
  "file_sha256": "6da1d41a1033b7630580c20f50ec1875a34c115373b646383267f7cee97f73c4",
  "signed_at": "2026-11-30T19:27:06Z",
  "signature": "tmSgPQw2bD8CJ/qIcGD3YfzV0PPrcEimRsJTxW5qxRdavVa7KSpANsULQTZQSgcfJPmFMaNF8Wr3hq8sfn+2Dg=="
}
