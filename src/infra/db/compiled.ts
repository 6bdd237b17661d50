import type { Database } from 'bun:sqlite'

import type { BunSQLiteDatabase } from 'drizzle-orm/bun-sqlite'

import type { Db } from './connection'

/**
 * A query of a hot path, compiled once per connection. There is one connection, so it runs inside
 * whatever transaction is open.
 */
export function compiled<Q>(build: (orm: BunSQLiteDatabase) => Q): (db: Db) => Q {
  const byConnection = new WeakMap<Database, Q>()
  return (db) => {
    const known = byConnection.get(db.sqlite)
    if (known !== undefined) return known
    const query = build(db.orm)
    byConnection.set(db.sqlite, query)
    return query
  }
}
