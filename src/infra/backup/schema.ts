import { Database } from 'bun:sqlite'

import { knownMigrations, migrate, migrationStatus } from '../migrate'

/** An object of a schema as SQLite keeps it. */
interface SchemaObject {
  type: string
  name: string
  table: string
  sql: string | null
}

/** Figures for the planner, which each start writes. */
const STATISTICS = /^sqlite_stat\d$/

/** Tables that Litestream adds to a database it copies, exactly as it makes them. They hold a counter and nothing of ours. */
const LITESTREAM_TABLES: Record<string, string> = {
  _litestream_lock: 'CREATE TABLE _litestream_lock (id INTEGER)',
  _litestream_seq: 'CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)',
}

const isLitestreams = ({ type, name, sql }: SchemaObject): boolean =>
  type === 'table' && sql !== null && Object.hasOwn(LITESTREAM_TABLES, name) && LITESTREAM_TABLES[name] === sql

function objectsOf(sqlite: Database): Map<string, SchemaObject> {
  const objects = sqlite.query<SchemaObject, []>('select type, name, tbl_name as "table", sql from sqlite_schema').all()
  return new Map(objects.filter((object) => !STATISTICS.test(object.name) && !isLitestreams(object)).map((object) => [object.name, object]))
}

/**
 * Compares the schema of a database, object by object, with what the migrations make that were applied to it. Returns what differs, in words;
 * nothing when it is a database of this program. Throws MigrationError for a newer database and for an edited migration.
 */
export function schemaDifferences(sqlite: Database): string[] {
  const applied = new Set(migrationStatus(sqlite).applied.map(({ tag }) => tag))
  const reference = new Database(':memory:', { strict: true })
  try {
    const migrations = knownMigrations().filter(({ tag }) => applied.has(tag))
    migrate(reference, { clock: { nowMs: () => 0 }, migrations })
    const [actual, expected] = [objectsOf(sqlite), objectsOf(reference)]
    return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((name) => {
      const difference = differenceOf(actual.get(name), expected.get(name))
      return difference === null ? [] : [difference]
    })
  } finally {
    reference.close()
  }
}

function differenceOf(actual: SchemaObject | undefined, expected: SchemaObject | undefined): string | null {
  if (actual === undefined) return `the ${expected?.type} ${expected?.name} is missing`
  if (expected === undefined) return `the ${actual.type} ${actual.name} does not belong to it`
  if (actual.type !== expected.type) return `${actual.name} is a ${actual.type} instead of a ${expected.type}`
  return actual.sql === expected.sql && actual.table === expected.table ? null : `the ${actual.type} ${actual.name} differs`
}
