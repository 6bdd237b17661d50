import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { ReadDb } from './connection'

/**
 * Compiles a query of a hot path once per connection. There is one connection, so the query runs
 * inside whatever transaction is open.
 */
export const compiled =
  <Q>(build: (orm: BunSQLiteDatabase) => Q): ((db: ReadDb) => Q) =>
  ({ orm, statements }) => {
    const known = statements.get(build) as Q | undefined
    if (known !== undefined) return known
    const query = build(orm)
    statements.set(build, query)
    return query
  }
