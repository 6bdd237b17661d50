import { listOf, objectOf, type JsonObject } from '../lenient-json'

/**
 * A part of a body that is no longer than that has room for one change at least, however long the
 * change is.
 */
export interface PartLimits {
  changes: number
  bytes: number
}

/** Ids of business accounts and words for objects are shorter. */
const MAX_WORD_LENGTH = 64

const isShort = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_WORD_LENGTH)

/** What of an object is kept beside its list, as the beginning of a JSON object. */
const headOf = (object: JsonObject, names: string[]): string =>
  names
    .filter((name) => isShort(object[name]))
    .map((name) => `${JSON.stringify(name)}:${JSON.stringify(object[name])},`)
    .join('')

/**
 * Divides the body of a webhook into bodies that are read on their own: each has some of the
 * changes, in their order, and of what stands beside them only what says what they are about. So
 * nobody has to read all of a large body to get at one of its changes. Without changes there is no
 * part.
 */
export function divideBody(body: unknown, most: PartLimits): string[] {
  const root = headOf(objectOf(body), ['object'])
  const parts: string[] = []
  let [entries, changes, bytes] = ['', 0, 0]
  const close = (): void => {
    if (changes > 0) parts.push(`{${root}"entry":[${entries}]}`)
    ;[entries, changes, bytes] = ['', 0, 0]
  }
  for (const entry of listOf(objectOf(body).entry)) {
    const head = headOf(objectOf(entry), ['id', 'time'])
    let own: string[] = []
    const leave = (): void => {
      if (own.length > 0)
        entries += `${entries === '' ? '' : ','}{${head}"changes":[${own.join(',')}]}`
      own = []
    }
    for (const change of listOf(objectOf(entry).changes)) {
      const text = JSON.stringify(change)
      if (changes >= most.changes || (changes > 0 && bytes + text.length > most.bytes)) {
        leave()
        close()
      }
      own.push(text)
      changes += 1
      bytes += text.length
    }
    leave()
  }
  close()
  return parts
}
