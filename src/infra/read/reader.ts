import { readTransaction } from '../db/read-transaction'
import type { ReadCtx } from './read-ctx'

/** `list`: pages and counts that an index serves. `long`: reports, and searches that scan. */
export type Lane = 'list' | 'long'

/** A read that a thread finds by its name. */
export interface Reader<Query, Answer> {
  name: string
  lane: (query: Query) => Lane
  read: (ctx: ReadCtx, query: Query) => Answer
}

/**
 * Declares a read that runs beside the thread of the server (`ReadPool`). `query` and the answer
 * are plain data. List it in `src/readers.ts`. A transaction calls `read` itself.
 */
export const reader = <Query, Answer>(
  name: string,
  lane: Lane | ((query: Query) => Lane),
  read: (ctx: ReadCtx, query: Query) => Answer,
): Reader<Query, Answer> => ({
  name,
  lane: typeof lane === 'function' ? lane : () => lane,
  read,
})

/** What a thread is told to read. */
export interface ReadOrder {
  name: string
  organizationId: string
  actor: ReadCtx['actor']
  nowMs: number
  query: unknown
}

/** Returns the answer of a read as JSON text. All its statements see the same moment. */
export const runRead = <Query, Answer>(
  { read }: Reader<Query, Answer>,
  ctx: ReadCtx,
  query: Query,
): string => readTransaction(ctx.db, () => JSON.stringify(read(ctx, query)))
