import type { TempFile } from '../../../infra/files/temp-file'
import { tooMuch } from '../../../infra/sheets/row'

/** Texts that cells may share. */
const MAX_TEXTS = 4_000_000

const FIRST_TEXTS = 4_096

/** So much is written at once, bytes. */
const WRITTEN_AT_ONCE = 64 * 1_024

/**
 * The texts that cells share, by their number: on disk, for together they may be larger than what a
 * request may hold.
 */
export class SharedTexts {
  /** Where each text ends, bytes from the beginning. */
  private ends = new Uint32Array(FIRST_TEXTS)
  private count = 0
  private end = 0
  private waiting: Buffer[] = []
  private waitingBytes = 0

  constructor(private readonly scratch: TempFile) {}

  /** Adds the next text; `flush` writes it. Throws AppError 413 for one too many. */
  add(text: string): void {
    if (this.count >= MAX_TEXTS) throw tooMuch('too_large_unpacked', 'is too large when unpacked')
    if (this.count === this.ends.length) {
      const longer = new Uint32Array(this.ends.length * 2)
      longer.set(this.ends)
      this.ends = longer
    }
    const bytes = Buffer.from(text)
    this.end += bytes.length
    this.ends[this.count] = this.end
    this.count += 1
    if (bytes.length > 0) this.waiting.push(bytes)
    this.waitingBytes += bytes.length
  }

  /** Writes what was added when it is much. */
  async flushMuch(): Promise<void> {
    if (this.waitingBytes >= WRITTEN_AT_ONCE) await this.flush()
  }

  /** Writes what was added. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return
    const bytes = Buffer.concat(this.waiting)
    this.waiting = []
    this.waitingBytes = 0
    await this.scratch.append(bytes)
  }

  /** The text of a number; empty when there is none. */
  at(index: number): string {
    const end = index >= 0 && index < this.count ? (this.ends[index] ?? 0) : 0
    const from = index > 0 ? (this.ends[index - 1] ?? 0) : 0
    return end > from ? this.scratch.read(from, end - from).toString('utf8') : ''
  }
}
