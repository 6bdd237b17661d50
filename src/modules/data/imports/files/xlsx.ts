import { posix } from 'node:path'

import type { Entry, ZipFile } from 'yauzl'

import { TempFile } from '../../../../infra/files/temp-file'
import {
  cellTooLong,
  MAX_CELL_LENGTH,
  MAX_ROW_LENGTH,
  MAX_CELLS,
  unsupportedFileError,
  rowTooLong,
  rowTooWide,
  fileLimitError,
  invalidFileError,
  type SheetRow,
} from '../../../../infra/sheets/row'
import { cellText, isDateFormat } from './xlsx-cells'
import { SharedTexts } from './xlsx-texts'
import { parseXml, readGuide, type XmlListener } from './xlsx-xml'
import { yieldToEventLoop } from '../../../../infra/event-loop'

/** Maximum number of parts in a file. A usual workbook has about a dozen. */
const MAX_PARTS = 10_000

/** Maximum size of one directory entry, bytes: name, extra fields and comment. */
const MAX_ENTRY_LENGTH = 1_024

/**
 * Maximum number of cell formats, and characters of one (ECMA-376 and the limits of spreadsheet
 * programs).
 */
const MAX_FORMATS = 65_536
const MAX_FORMAT_LENGTH = 255

/**
 * Maximum length of all cells of a sheet, characters. A small file can repeat one long text many
 * times.
 */
const MAX_SHEET_LENGTH = 256 * 1_024 * 1_024

/** The last row of a sheet. */
const LAST_ROW = 1_048_576

const WORKBOOK = 'xl/workbook.xml'

/**
 * Yields the rows of the first sheet of an XLSX file: whole numbers without an exponent, dates as
 * `2026-11-21`. Streams the file. Throws AppError 413 and 415, and InvalidError `malformed_xlsx`,
 * `cell_too_long`, `row_too_long`, `too_many_columns`.
 */
export async function* rowsOfXlsx(path: string): AsyncGenerator<SheetRow> {
  const zip = await openZip(path)
  let scratch: TempFile | null = null
  try {
    const parts = await partsOf(zip)
    const { sheet, texts, styles } = await placesOf(zip, parts)
    scratch = await TempFile.open(`${path}.texts`)
    const shared = new SharedTexts(scratch)
    if (texts !== null) await readTexts(zip, texts, shared)
    yield* rowsOf(zip, sheet, {
      shared,
      dates: styles === null ? new Set() : await datesIn(zip, styles),
    })
  } catch (error) {
    throw refusalOf(error)
  } finally {
    zip.close()
    await scratch?.close()
  }
}

/**
 * Returns the API error for a failed read. Errors of the ZIP and XML readers mean a damaged file.
 */
function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error) || 'httpStatus' in error || 'syscall' in error) return error
  return invalidFileError('malformed_xlsx', 'is damaged and cannot be read as XLSX')
}

async function openZip(path: string): Promise<ZipFile> {
  const { openPromise } = await import('yauzl')
  try {
    return await openPromise(path, { lazyEntries: true, autoClose: false })
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    throw unsupportedFileError()
  }
}

async function partsOf(zip: ZipFile): Promise<Map<string, Entry>> {
  const parts = new Map<string, Entry>()
  let count = 0
  for await (const entry of zip.eachEntry()) {
    count += 1
    if (count > MAX_PARTS) throw fileLimitError('too_many_parts', 'has too many parts')
    if (entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength > MAX_ENTRY_LENGTH)
      throw invalidFileError('malformed_xlsx', 'is damaged and cannot be read as XLSX')
    if (entry.fileName.startsWith('xl/')) parts.set(entry.fileName, entry)
  }
  return parts
}

/**
 * Returns the paths of the first sheet, the shared strings and the formats. Throws AppError 415 for
 * a ZIP file that is not a workbook.
 */
async function placesOf(
  zip: ZipFile,
  parts: Map<string, Entry>,
): Promise<{ sheet: Entry; texts: Entry | null; styles: Entry | null }> {
  const workbook = parts.get(WORKBOOK)
  const links = parts.get('xl/_rels/workbook.xml.rels')
  if (!workbook || !links) throw unsupportedFileError()
  let sheetId: string | null = null
  await readGuide(zip, workbook, {
    opens(name, attributes) {
      if (name === 'sheet')
        sheetId ??=
          attributes['r:id'] ??
          Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1] ??
          ''
    },
  })
  const found: Record<'sheet' | 'sharedStrings' | 'styles', Entry | null> = {
    sheet: null,
    sharedStrings: null,
    styles: null,
  }
  await readGuide(zip, links, {
    opens(name, { Id = '', Target = '', Type = '' }) {
      if (name !== 'Relationship') return
      const part =
        parts.get(Target.startsWith('/') ? Target.slice(1) : posix.join('xl', Target)) ?? null
      const kind = posix.basename(Type)
      if (Id === sheetId) found.sheet = part
      if (kind === 'sharedStrings' || kind === 'styles') found[kind] = part
    },
  })
  if (found.sheet === null) throw unsupportedFileError()
  return { sheet: found.sheet, texts: found.sharedStrings, styles: found.styles }
}

/** Reads the shared strings. Joins the runs of a formatted string and skips pronunciation hints. */
async function readTexts(zip: ZipFile, part: Entry, shared: SharedTexts): Promise<void> {
  let text: string | null = null
  let isText = false
  let isHint = false
  const listener: XmlListener = {
    opens(name) {
      if (name === 'si') text = ''
      if (name === 'rPh') isHint = true
      isText = name === 't' && !isHint
    },
    text(more) {
      if (!isText || text === null) return
      text += more
      if (text.length > MAX_CELL_LENGTH) throw cellTooLong()
    },
    closes(name) {
      if (name === 'rPh') isHint = false
      isText = false
      if (name !== 'si' || text === null) return
      shared.add(text)
      text = null
    },
  }
  for await (const _ of parseXml(zip, part, listener)) {
    await shared.flushMuch()
    await yieldToEventLoop()
  }
  await shared.flush()
}

/** Returns the indexes of cell formats that show dates. */
async function datesIn(zip: ZipFile, part: Entry): Promise<Set<number>> {
  const codes = new Map<number, boolean>()
  const dates = new Set<number>()
  let isOfCells = false
  let place = 0
  await readGuide(zip, part, {
    opens(name, { numFmtId = '0', formatCode = '' }) {
      const id = Number(numFmtId)
      if (name === 'numFmt' && codes.size < MAX_FORMATS)
        codes.set(id, isDateFormat(id, formatCode.slice(0, MAX_FORMAT_LENGTH)))
      if (name === 'cellXfs') isOfCells = true
      if (name !== 'xf' || !isOfCells) return
      if (place < MAX_FORMATS && (codes.get(id) ?? isDateFormat(id, ''))) dates.add(place)
      place += 1
    },
    closes(name) {
      if (name === 'cellXfs') isOfCells = false
    },
  })
  return dates
}

/** The state of reading a sheet. */
interface Reading {
  row: number
  cells: string[]
  /** Characters of the current row, and of all rows. */
  length: number
  total: number
  /** The open cell: its column from 0, type and format. */
  column: number
  type: string
  style: number
  value: string
  isValue: boolean
}

/** Yields the rows of a sheet. */
async function* rowsOf(
  zip: ZipFile,
  part: Entry,
  known: { shared: SharedTexts; dates: Set<number> },
): AsyncGenerator<SheetRow> {
  let done: SheetRow[] = []
  const at: Reading = {
    row: 0,
    cells: [],
    length: 0,
    total: 0,
    column: -1,
    type: '',
    style: 0,
    value: '',
    isValue: false,
  }
  const listener: XmlListener = {
    opens: (name, attributes) => openCell(at, name, attributes),
    text(text) {
      if (!at.isValue) return
      at.value += text
      if (at.value.length > MAX_CELL_LENGTH) throw cellTooLong()
    },
    closes(name) {
      if (name === 'v' || name === 't') at.isValue = false
      if (name === 'c') closeCell(at, cellText(at, known))
      if (name === 'row')
        done.push({ row: at.row, cells: Array.from(at.cells, (cell) => cell ?? '') })
    },
  }
  for await (const _ of parseXml(zip, part, listener)) {
    yield* done
    done = []
    await yieldToEventLoop()
  }
  yield* done
}

/** Handles the start of a row, a cell or a cell value. */
function openCell(at: Reading, name: string, attributes: Record<string, string>): void {
  if (name === 'row') {
    const said = Number(attributes['r'])
    at.row = Number.isInteger(said) && said > at.row && said <= LAST_ROW ? said : at.row + 1
    at.cells = []
    at.length = 0
    at.column = -1
  } else if (name === 'c') {
    at.column = columnOf(attributes['r']) ?? at.column + 1
    at.type = attributes['t'] ?? ''
    at.style = Number(attributes['s'] ?? 0)
    at.value = ''
  } else at.isValue = name === 'v' || name === 't'
}

/** Stores the value of a cell. Empty cells are ignored at any position. */
function closeCell(at: Reading, text: string): void {
  if (text === '') return
  if (at.column >= MAX_CELLS) throw rowTooWide(at.row)
  at.length += text.length
  if (at.length > MAX_ROW_LENGTH) throw rowTooLong(at.row)
  at.total += text.length
  if (at.total > MAX_SHEET_LENGTH)
    throw fileLimitError('too_large_unpacked', 'is too large when unpacked')
  at.cells[at.column] = text
}

/**
 * Returns the column index of a cell reference such as `AB12`, from 0; `undefined` without a
 * reference.
 */
function columnOf(place: string | undefined): number | undefined {
  const [letters] = /^[A-Z]{1,3}/.exec(place ?? '') ?? []
  return letters === undefined
    ? undefined
    : [...letters].reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1
}
