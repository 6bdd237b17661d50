import { createHash } from 'node:crypto'

const URL_LIFE_MS = 5 * 60 * 1000

/** A file the simulated platform keeps. */
export type StoredMedia = { id: string; mime: string; bytes: Uint8Array<ArrayBuffer>; sha256: string }

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
  put(id: string, mime: string, bytes: Uint8Array): StoredMedia {
    const copy = new Uint8Array(bytes)
    const file: StoredMedia = { id, mime, bytes: copy, sha256: createHash('sha256').update(copy).digest('base64') }
    this.#files.set(id, file)
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

  /** What the platform tells of a file: the address to fetch it from is good for five minutes (platform document 3). */
  facts(file: StoredMedia, origin: string): Record<string, unknown> {
    const url = `${origin}/_media/${file.id}?ext=${this.#nowMs() + URL_LIFE_MS}`
    return { messaging_product: 'whatsapp', url, mime_type: file.mime, sha256: file.sha256, file_size: file.bytes.byteLength, id: file.id }
  }

  /** The file an address leads to, or undefined when it is gone or the address too old. */
  fetch(id: string, expires: string | null): StoredMedia | undefined {
    return Number(expires) >= this.#nowMs() ? this.#files.get(id) : undefined
  }
}
