import type { Database } from 'bun:sqlite'

import { PreparedQuery } from 'drizzle-orm/bun-sqlite/session'

/** Queries as Drizzle built them, without a connection, by the function that builds each. */
const built = new WeakMap<object, object>()

/**
 * Compiled queries of a world (`compiled`). Drizzle takes longer to build most of them than SQLite to
 * compile them, and what it builds is the same in every world: only the statement belongs to a
 * connection.
 */
export class KeptStatements extends Map<object, unknown> {
  constructor(private readonly sqlite: Database) {
    super()
  }

  override get(build: object): unknown {
    const own = super.get(build)
    const known = own === undefined ? built.get(build) : undefined
    if (known === undefined) return own
    const { query } = known as { query: { sql: string } }
    const copy = Object.assign(Object.create(PreparedQuery.prototype) as object, known, {
      stmt: this.sqlite.query(query.sql),
    })
    super.set(build, copy)
    return copy
  }

  override set(build: object, query: unknown): this {
    if (query instanceof PreparedQuery) built.set(build, Object.assign({}, query, { stmt: null }))
    return super.set(build, query)
  }
}
