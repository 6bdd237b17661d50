import type { Database } from 'bun:sqlite'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** What a statement says where a UUID is meant as text. */
const TEXT_OF_ID = [
  // columns that hold an id among other texts
  /"request_id"|"log_id"|"gate_key"|signed_by/,
  // what users typed, which may look like an id
  /"name_key"/,
  // ids in JSON, and in the key of a recipient
  /json_extract\(|json_insert\(|instr\(|'c:' \|\| /,
]

/**
 * Has a database refuse every statement that is run with a UUID as text. A comparison of bytes with a
 * text finds nothing without a word.
 */
export function watchIds(sqlite: Database): Database {
  const watched = new WeakSet()
  const watch = <S extends object>(statement: S, text: string): S => {
    if (watched.has(statement) || TEXT_OF_ID.some((pattern) => pattern.test(text))) return statement
    watched.add(statement)
    const methods = statement as Record<string, (...values: unknown[]) => unknown>
    for (const name of ['run', 'get', 'all', 'values'] as const) {
      const own = methods[name]?.bind(statement)
      methods[name] = (...values) => {
        if (values.some((value) => typeof value === 'string' && UUID.test(value)))
          throw new TypeError(`a UUID is bound as text, but ids are stored as bytes: ${text}`)
        return own?.(...values)
      }
    }
    return statement
  }
  for (const name of ['prepare', 'query'] as const) {
    const own = sqlite[name].bind(sqlite) as (text: string) => object
    sqlite[name] = ((text: string) => watch(own(text), text)) as never // the same signature, told only once
  }
  return sqlite
}
