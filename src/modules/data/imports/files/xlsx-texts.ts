import type { TempFile } from '../../../../infra/files/temp-file'
import { fileLimitError } from '../../../../infra/sheets/row'

/** Maximum number of shared strings. */
const MAX_TEXTS = 4_000_000

const FIRST_TEXTS = 4_096

/** Buffer size of one write, bytes. */
const WRITTEN_AT_ONCE = 64 * 1_024

/**
 * The shared strings of a workbook by index. Stored on disk because they can exceed the memory
 * allowed for a request.
 */
export class SharedTexts {
  /** End of each string, bytes from the beginning. */
  private ends = new Uint32Array(FIRST_TEXTS)
  private count = 0
  private end = 0
  private waiting: Buffer[] = []
  private waitingBytes = 0

  constructor(private readonly scratch: TempFile) {}

  /** Adds the next string; `flush` writes it. Throws AppError 413 above the maximum. */
  add(text: string): void {
    if (this.count >= MAX_TEXTS)
      throw fileLimitError('too_large_unpacked', 'is too large when unpacked')
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

  /** Writes the buffered strings if the buffer is full. */
  async flushMuch(): Promise<void> {
    if (this.waitingBytes >= WRITTEN_AT_ONCE) await this.flush()
  }

  /** Writes the buffered strings. */
  async flush(): Promise<void> {
    if (this.waiting.length === 0) return
    const bytes = Buffer.concat(this.waiting)
    this.waiting = []
    this.waitingBytes = 0
    await this.scratch.append(bytes)
  }

  /** Returns the string at an index; empty if there is none. */
  at(index: number): string {
    const end = index >= 0 && index < this.count ? (this.ends[index] ?? 0) : 0
    const from = index > 0 ? (this.ends[index - 1] ?? 0) : 0
    return end > from ? this.scratch.read(from, end - from).toString('utf8') : ''
  }
}
