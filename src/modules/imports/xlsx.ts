import { posix } from 'node:path'
import type { Readable } from 'node:stream'

import { SaxesParser, type SaxesTagPlain } from 'saxes'
import { openPromise, type Entry, type ZipFile } from 'yauzl'

import { notATable, tooMuch, unreadable, type SheetRow } from './sheet-row'
import { cellText, dateStyles, isDateFormat } from './xlsx-cells'

/** Parts of a file that are read; a folder of a table has some dozen. */
const MOST_PARTS = 10_000

/** What one part may come to once it is unpacked, bytes: small files can unpack to any size. */
const LARGEST_PART = 256 * 1_024 * 1_024

/** Texts of all cells together, characters: they are kept while the rows are read. */
const MOST_TEXT = 64 * 1_024 * 1_024

/** Text handed to the parser before others get their turn, characters. */
const PIECE = 16 * 1_024

/** Cells of a row that are looked at. */
const MOST_CELLS = 512

const WORKBOOK = 'xl/workbook.xml'

const pause = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * The rows of the first sheet of an XLSX file, one after the other, empty ones left out but counted: numbers in full, dates as
 * `2026-11-21`. Throws AppError 413 and 415, and InvalidError `malformed_xlsx`.
 */
export async function* rowsOfXlsx(path: string): AsyncGenerator<SheetRow> {
  const zip = await openZip(path)
  try {
    const parts = await partsOf(zip)
    const { sheet, texts, styles } = await placesOf(zip, parts)
    const shared = texts === null ? [] : await sharedTexts(zip, texts)
    yield* rowsOf(zip, sheet, { shared, dates: styles === null ? new Set() : await datesIn(zip, styles) })
  } catch (error) {
    throw refusalOf(error)
  } finally {
    zip.close()
  }
}

/** What an error while reading means: those of the readers are the file's fault. */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || 'httpStatus' in error || 'syscall' in error) return error
  return unreadable('malformed_xlsx', 'is damaged and cannot be read as XLSX')
}

async function openZip(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    throw notATable()
  }
}

async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const parts = new Map<string, Entry>()
  for await (const entry of zip.eachEntry()) {
    if (parts.size >= MOST_PARTS) throw tooMuch('too_many_parts', 'has too many parts')
    parts.set(entry.fileName, entry)
  }
  return parts
}

/** Where the first sheet, the texts its cells share and its formats lie. Throws AppError 415 for a ZIP file that is no table. */
async function placesOf(zip: ZipFile, parts: Map<string, Entry>): Promise<{ sheet: Entry; texts: Entry | null; styles: Entry | null }> {
  const workbook = parts.get(WORKBOOK)
  const links = parts.get('xl/_rels/workbook.xml.rels')
  if (!workbook || !links) throw notATable()
  const targets = new Map<string, string>()
  const byKind = new Map<string, string>()
  await readXml(zip, links, {
    opens(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship') return
      const target = Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target)
      targets.set(Id, target)
      byKind.set(posix.basename(Type), target)
    },
  })
  const sheets: string[] = []
  await readXml(zip, workbook, {
    opens(name, attributes) {
      if (name === 'sheet') sheets.push(attributes['r:id'] ?? Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ?? '')
    },
  })
  const sheet = parts.get(targets.get(sheets[0] ?? '') ?? '')
  if (!sheet) throw notATable()
  const partOf = (kind: string): Entry | null => parts.get(byKind.get(kind) ?? '') ?? null
  return { sheet, texts: partOf('sharedStrings'), styles: partOf('styles') }
}

type Attributes = Record<string, string>

/** Who listens to an XML part; names come without their prefix. */
interface Listener {
  opens?: (name: string, attributes: Attributes) => void
  text?: (text: string) => void
  closes?: (name: string) => void
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1)

/** Reads an XML part to its end. */
async function readXml(zip: ZipFile, part: Entry, listener: Listener): Promise<void> {
  for await (const _ of parseXml(zip, part, listener)) await pause()
}

/** Parses an XML part piece by piece; after each one whoever asks gets its turn. */
async function* parseXml(zip: ZipFile, part: Entry, listener: Listener): AsyncGenerator<void> {
  if (part.uncompressedSize > LARGEST_PART) throw tooMuch('too_large_unpacked', 'is too large once it is unpacked')
  const parser = new SaxesParser()
  parser.on('opentag', (tag: SaxesTagPlain) => listener.opens?.(localName(tag.name), tag.attributes))
  parser.on('text', (text) => listener.text?.(text))
  parser.on('closetag', (tag) => listener.closes?.(localName(tag.name)))
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const stream: Readable = await zip.openReadStreamPromise(part)
  for await (const bytes of stream as AsyncIterable<Uint8Array>) {
    const text = decoder.decode(bytes, { stream: true })
    for (let from = 0; from < text.length; from += PIECE) {
      parser.write(text.slice(from, from + PIECE))
      yield
    }
  }
  parser.close()
}

/** The texts that cells refer to by their number; of one with several formats all parts, without hints how to pronounce it. */
async function sharedTexts(zip: ZipFile, part: Entry): Promise<string[]> {
  const texts: string[] = []
  let isText = false
  let isHint = false
  let total = 0
  await readXml(zip, part, {
    opens(name) {
      if (name === 'si') texts.push('')
      if (name === 'rPh') isHint = true
      isText = name === 't' && !isHint
    },
    text(text) {
      if (!isText || texts.length === 0) return
      total += text.length
      if (total > MOST_TEXT) throw tooMuch('too_large_unpacked', 'is too large once it is unpacked')
      texts[texts.length - 1] += text
    },
    closes(name) {
      if (name === 'rPh') isHint = false
      isText = false
    },
  })
  return texts
}

/** The numbers of the formats that show dates. */
async function datesIn(zip: ZipFile, part: Entry): Promise<Set<number>> {
  const formats = new Map<number, string>()
  const used: number[] = []
  let isOfCells = false
  await readXml(zip, part, {
    opens(name, { numFmtId = '0', formatCode = '' }) {
      if (name === 'numFmt') formats.set(Number(numFmtId), formatCode)
      if (name === 'cellXfs') isOfCells = true
      if (name === 'xf' && isOfCells) used.push(Number(numFmtId))
    },
    closes(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return dateStyles(used, (id) => isDateFormat(id, formats.get(id) ?? ''))
}

/** A sheet while it is read. */
interface Reading {
  row: number
  cells: string[]
  /** The cell that is open: its column from 0, type and format. */
  column: number
  type: string
  style: number
  value: string
  isValue: boolean
}

/** The rows of a sheet. */
async function* rowsOf(zip: ZipFile, part: Entry, known: { shared: string[]; dates: Set<number> }): AsyncGenerator<SheetRow> {
  let done: SheetRow[] = []
  const at: Reading = { row: 0, cells: [], column: -1, type: '', style: 0, value: '', isValue: false }
  const listener: Listener = {
    opens: (name, attributes) => openCell(at, name, attributes),
    text(text) {
      if (at.isValue) at.value += text
    },
    closes(name) {
      if (name === 'v' || name === 't') at.isValue = false
      if (name === 'c' && at.column < MOST_CELLS) at.cells[at.column] = cellText(at, known)
      if (name !== 'row') return
      const cells = Array.from(at.cells, (cell) => cell ?? '')
      if (cells.some((cell) => cell.trim() !== '')) done.push({ row: at.row, cells })
    },
  }
  for await (const _ of parseXml(zip, part, listener)) {
    yield* done
    done = []
    await pause()
  }
  yield* done
}

/** Follows what opens inside a sheet: a row, a cell, the value of a cell. */
function openCell(at: Reading, name: string, attributes: Attributes): void {
  if (name === 'row') {
    at.row = Number(attributes['r'] ?? at.row + 1)
    at.cells = []
    at.column = -1
  } else if (name === 'c') {
    at.column = columnOf(attributes['r']) ?? at.column + 1
    at.type = attributes['t'] ?? ''
    at.style = Number(attributes['s'] ?? 0)
    at.value = ''
  } else at.isValue = name === 'v' || name === 't'
}

/** The column of a cell such as `AB12`, from 0; `undefined` when it is not said. */
function columnOf(place: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(place ?? '') ?? []
  return letters === undefined ? undefined : [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
