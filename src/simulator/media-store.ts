import { createHash } from 'node:crypto'

const URL_LIFE_MS = 5 * 60 * 1000

/** ID, owner and type of a file. */
export type MediaOwner = { id: string; phoneId: string; mime: string }

/** A stored file: its bytes, or the size of a file that is generated while it is read. */
export type StoredMedia = MediaOwner & {
  sizeBytes: number
  sha256: string
  bytes: Uint8Array<ArrayBuffer> | null
}

/** Content of a generated file, repeated. */
const CHUNK = new Uint8Array(64 * 1024).fill(0x2a)

/** Yields the chunks of a generated file, always the same. */
export function* chunks(sizeBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let left = sizeBytes; left > 0; left -= CHUNK.length)
    yield left >= CHUNK.length ? CHUNK : CHUNK.slice(0, left)
}

const base64Of = (parts: Iterable<Uint8Array>): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64')
}

/** Files of customers and uploads, at most `limit`. The oldest is dropped first. */
export class MediaStore {
  readonly #files = new Map<string, StoredMedia>()
  readonly #limit: number
  readonly #nowMs: () => number

  constructor(limit: number, nowMs: () => number) {
    this.#limit = limit
    this.#nowMs = nowMs
  }

  /** Stores a file under the ID. The hash is base64, as in webhooks. */
  put(owner: MediaOwner, bytes: Uint8Array): StoredMedia {
    const copy = new Uint8Array(bytes)
    return this.#keep({ ...owner, bytes: copy, sizeBytes: copy.length, sha256: base64Of([copy]) })
  }

  /**
   * Stores a file of this size that is generated while it is read, so that it never is in memory as
   * a whole.
   */
  putHuge(owner: MediaOwner, sizeBytes: number): StoredMedia {
    return this.#keep({ ...owner, bytes: null, sizeBytes, sha256: base64Of(chunks(sizeBytes)) })
  }

  #keep(file: StoredMedia): StoredMedia {
    this.#files.set(file.id, file)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= this.#limit) break
      this.#files.delete(oldest)
    }
    return file
  }

  /** Returns the file with this ID. */
  get(id: string): StoredMedia | undefined {
    return this.#files.get(id)
  }

  /** Deletes a file. Returns false if there was none. */
  delete(id: string): boolean {
    return this.#files.delete(id)
  }

  /**
   * Returns the platform's facts of a file. The download URL is valid for five minutes (platform
   * document 3).
   */
  facts(file: StoredMedia, origin: string): Record<string, unknown> {
    const url = `${origin}/_media/${file.id}?ext=${this.#nowMs() + URL_LIFE_MS}`
    return {
      messaging_product: 'whatsapp',
      url,
      mime_type: file.mime,
      sha256: file.sha256,
      file_size: file.sizeBytes,
      id: file.id,
    }
  }

  /** Returns the file of a download URL, or undefined if it was deleted or the URL has expired. */
  fetch(id: string, expires: string | null): StoredMedia | undefined {
    return Number(expires) >= this.#nowMs() ? this.#files.get(id) : undefined
  }
}
