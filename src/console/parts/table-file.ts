import { ApiError } from '../api/error'
import { t } from '../texts/texts'
import { sentenceOf } from './state'

const cellOf = (value: unknown): string => {
  const text =
    typeof value === 'string'
      ? value
      : value === null || value === undefined
        ? ''
        : JSON.stringify(value)
  return `"${text.replaceAll('"', '""')}"`
}

/** Writes a JSON list of objects as a table. Throws Error with words for a person. */
function tableOfJson(text: string): string {
  let list: unknown
  try {
    list = JSON.parse(text)
  } catch {
    list = null
  }
  const isObject = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObject))
    throw new Error(t('import.file.bad-json'))
  const rows: Record<string, unknown>[] = list
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const lines = [keys, ...rows.map((row) => keys.map((key) => row[key]))]
  return lines.map((cells) => cells.map(cellOf).join(',')).join('\r\n')
}

/** Returns a file as the server takes it: a JSON list becomes a table. Throws Error. */
export async function fileForServer(file: File): Promise<File> {
  if (!file.name.toLowerCase().endsWith('.json')) return file
  const text = tableOfJson(await file.text())
  return new File([text], file.name.replace(/json$/i, 'csv'), { type: 'text/csv' })
}

/** Returns pasted rows as a file. */
export const fileOfText = (text: string): File => {
  const isJson = text.trimStart().startsWith('[')
  return new File([isJson ? tableOfJson(text) : text], 'pasted.csv', { type: 'text/csv' })
}

/** Why the server refuses a file with rows. */
const REFUSALS = [
  'empty_file',
  'bad_encoding',
  'unsupported_media_type',
  'bad_header',
  'malformed_csv',
  'malformed_xlsx',
  'row_too_long',
  'cell_too_long',
  'too_many_columns',
  'too_many_rows',
  'too_large_unpacked',
] as const

/** Returns what is wrong with a file of rows, in words of the page. */
export function fileSentence(error: unknown): string {
  if (error instanceof Error && error.constructor === Error) return error.message
  const code = error instanceof ApiError && REFUSALS.find((one) => one === error.code)
  if (!code) return sentenceOf(error)
  const [, row = 1] = /\b(?:row|line) (\d+)/.exec(error.message) ?? []
  return t(`import.refused.${code}`, { row: Number(row) })
}
