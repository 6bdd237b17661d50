import { createReadStream } from 'node:fs'

import { ProductImportError } from '../model'

/** Longest statement that is kept in memory, characters. A longer one is told and left out. */
const MAX_STATEMENT = 16 * 1_024 * 1_024

const COMPLETE = 'PostgreSQL database dump complete'

/** One statement of a dump; `null` for one that is too long. */
export type Statement = string | null

const broken = (what: string): ProductImportError =>
  new ProductImportError(
    `The dump ${what}. Make it again with "pg_dump --inserts --file=dump.sql", and copy all of it.`,
  )

/**
 * Reads the statements of a plain dump of `pg_dump` one by one, in bounded memory, without comments
 * and commands of psql. Bytes that are no UTF-8 become replacement characters. Throws
 * ProductImportError if the dump has another form or is not complete.
 */
export async function* statementsOf(path: string): AsyncGenerator<Statement> {
  const reader = new StatementReader()
  const decoder = new TextDecoder()
  for await (const bytes of createReadStream(path, { highWaterMark: 256 * 1_024 }))
    yield* reader.take(decoder.decode(bytes as Uint8Array, { stream: true }))
  yield* reader.take(decoder.decode())
  reader.end()
}

/** Where the reader is: between statements, in one, or in something of it that hides semicolons. */
type Place = 'between' | 'comment' | 'statement' | { until: string }

/** What begins something in a statement, or ends it. */
const SPECIAL = /['";]|\$[A-Za-z_]*\$|--/g

/** How a dump of another format begins, a compressed file (gzip, ZIP), and text in UTF-16. */
const NO_TEXT = ['PGDMP', '\u001F\uFFFD', 'PK\u0003', '-\0', '\uFFFD\uFFFD']
const isNoText = (text: string): boolean => NO_TEXT.some((start) => text.startsWith(start))

class StatementReader {
  /** What is read of the current statement or comment, and the characters after it. */
  private text = ''
  /** What is looked at in it. */
  private at = 0
  private place: Place = 'between'
  private isTooLong = false
  private isComplete = false
  private isFirst = true;

  public *take(more: string): Generator<Statement> {
    this.text += more
    if (this.isFirst && this.text.length > 4) {
      this.isFirst = false
      if (isNoText(this.text)) throw broken('is no plain text')
    }
    for (let next = this.step(); next !== undefined; next = this.step())
      if (next !== 'went on') yield next.statement
    // Only the end of a part may begin something that continues in the next one.
    if (this.place !== 'between' && this.text.length > MAX_STATEMENT) {
      this.isTooLong = true
      this.text = this.text.slice(this.at)
      this.at = 0
    }
  }

  /** Throws ProductImportError if the dump ends too early. */
  end(): void {
    if (this.isFirst && isNoText(this.text)) throw broken('is no plain text')
    if (!this.isComplete || this.place !== 'between' || this.text.trim() !== '')
      throw broken('ends in the middle')
  }

  /** Goes one step further. Returns `undefined` if more text is needed. */
  private step(): { statement: Statement } | 'went on' | undefined {
    if (this.place === 'between') return this.begin()
    if (this.place === 'comment') return this.skipLine()
    if (this.place === 'statement') return this.search()
    const found = this.text.indexOf(this.place.until, this.at)
    if (found < 0) {
      // The end of a dollar quote can be split between two parts.
      this.at = Math.max(this.at, this.text.length - this.place.until.length + 1)
      return undefined
    }
    this.at = found + this.place.until.length
    this.place = 'statement'
    return 'went on'
  }

  private begin(): 'went on' | undefined {
    const start = this.text.search(/\S/)
    if (start < 0) {
      this.text = ''
      return undefined
    }
    this.text = this.text.slice(start)
    if (this.text === '-') return undefined
    this.at = 0
    this.place = this.text.startsWith('--') || this.text.startsWith('\\') ? 'comment' : 'statement'
    return 'went on'
  }

  private skipLine(): 'went on' | undefined {
    const end = this.text.indexOf('\n', this.at)
    if (end < 0) {
      this.at = this.text.length
      return undefined
    }
    if (this.text.slice(0, end).includes(COMPLETE)) this.isComplete = true
    this.drop(end + 1)
    return 'went on'
  }

  private search(): { statement: Statement } | 'went on' | undefined {
    SPECIAL.lastIndex = this.at
    const found = SPECIAL.exec(this.text)
    if (found === null) {
      // A dollar quote or a comment can begin at the very end.
      const rest = /(?:\$[A-Za-z_]*|-)$/.exec(
        this.text.slice(Math.max(this.at, this.text.length - 70)),
      )
      this.at = this.text.length - (rest?.[0].length ?? 0)
      return undefined
    }
    const [mark] = found
    this.at = found.index + mark.length
    if (mark === ';') {
      const statement = this.isTooLong ? null : this.text.slice(0, this.at)
      this.isTooLong = false
      this.drop(this.at)
      return { statement }
    }
    this.place = { until: mark === '--' ? '\n' : mark }
    return 'went on'
  }

  private drop(length: number): void {
    this.text = this.text.slice(length)
    this.at = 0
    this.place = 'between'
  }
}
