import { createHash } from 'node:crypto'

const URL_LIFE_MS = 5 * 60 * 1000

/** Whose file it is and what it is called. */
export type MediaPlace = { id: string; phoneId: string; mime: string }

/**
 * A file the simulated platform keeps: bytes, or the length of a file that is made up while it is
 * read.
 */
export type StoredMedia = MediaPlace & {
  sizeBytes: number
  sha256: string
  bytes: Uint8Array<ArrayBuffer> | null
}

/** What the bytes of a made-up file are made of, piece by piece. */
const PIECE = new Uint8Array(64 * 1024).fill(0x2a)

/** The pieces of a made-up file: the same every time. */
export function* pieces(sizeBytes: number): Generator<Uint8Array<ArrayBuffer>> {
  for (let left = sizeBytes; left > 0; left -= PIECE.length)
    yield left >= PIECE.length ? PIECE : PIECE.slice(0, left)
}

const base64Of = (parts: Iterable<Uint8Array>): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('base64')
}

/** Files of customers and uploads, at most `limit`; the oldest goes first. */
export class MediaStore {
  readonly #files = new Map<string, StoredMedia>()
  readonly #limit: number
  readonly #nowMs: () => number

  constructor(limit: number, nowMs: () => number) {
    this.#limit = limit
    this.#nowMs = nowMs
  }

  /** Keeps a file under the id; the hash is base64, as in webhooks. */
  put(place: MediaPlace, bytes: Uint8Array): StoredMedia {
    const copy = new Uint8Array(bytes)
    return this.#keep({ ...place, bytes: copy, sizeBytes: copy.length, sha256: base64Of([copy]) })
  }

  /**
   * Keeps a file of so many bytes that is made up while it is read, so that it is nowhere whole.
   */
  putHuge(place: MediaPlace, sizeBytes: number): StoredMedia {
    return this.#keep({ ...place, bytes: null, sizeBytes, sha256: base64Of(pieces(sizeBytes)) })
  }

  #keep(file: StoredMedia): StoredMedia {
    this.#files.set(file.id, file)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= this.#limit) break
      this.#files.delete(oldest)
    }
    return file
  }

  /** The file with this id. */
  get(id: string): StoredMedia | undefined {
    return this.#files.get(id)
  }

  /** Removes a file; false when there was none. */
  delete(id: string): boolean {
    return this.#files.delete(id)
  }

  /**
   * What the platform tells of a file: the address to fetch it from is good for five minutes
   * (platform document 3).
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

  /** The file an address leads to, or undefined when it is gone or the address too old. */
  fetch(id: string, expires: string | null): StoredMedia | undefined {
    return Number(expires) >= this.#nowMs() ? this.#files.get(id) : undefined
  }
}
