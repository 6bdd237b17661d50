import type { Database } from 'bun:sqlite'

import type { Loose } from './client'
import { isUuid } from '../../src/lib/ids'
import { bytesToUuid, uuidToBytes } from '../../src/infra/db/uuid'

/** A value that a test hands to a statement or reads from a row. */
export type Value = string | number | null | Uint8Array

const UUID_LITERAL = /'([\da-f]{8})-([\da-f]{4})-([\da-f]{4})-([\da-f]{4})-([\da-f]{12})'/g

/** A statement in which every UUID, bound or written out, is the bytes of its column. */
const stored = (statement: string): string =>
  statement.replaceAll(UUID_LITERAL, (literal) => `x'${uuidToBytes(literal.slice(1, -1)).toHex()}'`)

const storedValue = (value: Value): Value =>
  typeof value === 'string' && isUuid(value) ? uuidToBytes(value) : value

function shown(value: unknown): unknown {
  if (!(value instanceof Uint8Array)) return value
  return value.length === 16 ? bytesToUuid(value) : value
}

/**
 * Runs a statement on a database behind the program's back. UUIDs become the bytes of their
 * columns; the few columns that hold ids as text, such as `gate_key`, need `sqlite.run` itself.
 */
export const changeRows = (sqlite: Database, statement: string, values: Value[] = []) =>
  sqlite.run(stored(statement), values.map(storedValue))

/** Reads rows behind the program's back. UUIDs go in and come out as text. */
export const readRows = <T = Loose>(
  sqlite: Database,
  statement: string,
  values: Value[] = [],
): T[] =>
  sqlite
    .query<Record<string, unknown>, Value[]>(stored(statement))
    .all(...values.map(storedValue))
    .map(
      (row) =>
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, shown(value)])) as T,
    )
