/** Compresses a webhook body for the journal. Bodies live for days, so speed counts, not size. */
export const packBody = (bytes: Uint8Array): Buffer => Bun.zstdCompressSync(bytes, { level: 1 })

/** Returns the bytes of a packed webhook body. Throws if they are none. */
export const unpackBody = (packed: Uint8Array): Buffer => Bun.zstdDecompressSync(packed)
