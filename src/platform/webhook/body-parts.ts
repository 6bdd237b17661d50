import { listOf, objectOf, type JsonObject } from '../lenient-json'

/** Size limits of a split webhook body. A part may exceed them to hold at least one change. */
export interface PartLimits {
  changes: number
  bytes: number
}

/** Business account IDs and object names are shorter. */
const MAX_WORD_LENGTH = 64

const isShort = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_WORD_LENGTH)

/** Returns the start of a JSON object with the kept properties. The list follows. */
const objectHead = (object: JsonObject, names: string[]): string =>
  names
    .filter((name) => isShort(object[name]))
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(object[name])},`)
    .join('')

/**
 * Splits a webhook body into bodies that can be read independently. Each holds some of the changes,
 * in order, and the fields that identify their entry. Reading one change then does not require
 * parsing a large body. A body without changes gives no parts.
 */
export function splitBody(body: unknown, limits: PartLimits): string[] {
  const root = objectHead(objectOf(body), ['object'])
  const parts: string[] = []
  let [entries, changes, bytes] = ['', 0, 0]
  const closePart = (): void => {
    if (changes > 0) parts.push(`{${root}"entry":[${entries}]}`)
    ;[entries, changes, bytes] = ['', 0, 0]
  }
  for (const entry of listOf(objectOf(body).entry)) {
    const entryHead = objectHead(objectOf(entry), ['id', 'time'])
    let entryChanges: string[] = []
    const closeEntry = (): void => {
      if (entryChanges.length > 0)
        entries += `${entries === '' ? '' : ','}{${entryHead}"changes":[${entryChanges.join(',')}]}`
      entryChanges = []
    }
    for (const change of listOf(objectOf(entry).changes)) {
      const text = JSON.stringify(change)
      if (changes >= limits.changes || (changes > 0 && bytes + text.length > limits.bytes)) {
        closeEntry()
        closePart()
      }
      entryChanges.push(text)
      changes += 1
      bytes += text.length
    }
    closeEntry()
  }
  closePart()
  return parts
}
