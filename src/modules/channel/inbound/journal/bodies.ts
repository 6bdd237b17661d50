import { eq } from 'drizzle-orm'

import type { Deps } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { readChanges, type ReadChange } from '../../../../platform/webhook/body'
import { unpackBody } from '../../../../platform/webhook/pack-body'
import { placeOf } from '../verify-signature'
import { inboundBodies } from '../table'

/** Who signed a body, and the cell that passed it on, if one did. */
type Origin = Pick<typeof inboundBodies.$inferSelect, 'signedBy' | 'cell'>

/** The parsed changes of a stored body, and where it comes from. */
export interface ReceivedBody extends Origin {
  changeAt: (entryIndex: number, changeIndex: number) => ReadChange | null
}

/** Returns a body with these changes. */
export function bodyOf(changes: ReadChange[], { signedBy, cell }: Origin): ReceivedBody {
  const byPlace = new Map(changes.map((change) => [placeOf(change), change]))
  return {
    changeAt: (entryIndex, changeIndex) =>
      byPlace.get(placeOf({ entryIndex, changeIndex })) ?? null,
    ...{ signedBy, cell },
  }
}

/** A parsed body takes about ten times the memory of its bytes. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/**
 * Maximum age of a cached body, milliseconds. Later changes belong to a backlog or a retry and
 * unpack the body again.
 */
const MAX_KEPT_MS = 30_000

/**
 * Cache of recently parsed bodies. Changes are usually processed right after they are stored, and
 * without the cache a body of a thousand changes is unpacked a thousand times. Limited by bytes and
 * age; the oldest entry is evicted first.
 */
export class RecentBodies {
  private readonly kept = new Map<
    number,
    { body: ReceivedBody; sizeBytes: number; sinceMs: number }
  >()
  private bytes = 0

  /** Adds a parsed body to the cache. */
  keep(id: number, body: ReceivedBody, sizeBytes: number): void {
    const nowMs = performance.now()
    this.drop(id)
    this.kept.set(id, { body, sizeBytes, sinceMs: nowMs })
    this.bytes += sizeBytes
    for (const [oldest, entry] of this.kept) {
      if (this.bytes <= MAX_KEPT_BYTES && nowMs - entry.sinceMs < MAX_KEPT_MS) break
      this.kept.delete(oldest)
      this.bytes -= entry.sizeBytes
    }
  }

  /** Returns the body from the cache or from the database. Throws if the row is missing. */
  read(deps: Pick<Deps, 'db'>, id: number): ReceivedBody {
    const known = this.kept.get(id)
    if (known) return known.body
    const row = bodyRow(deps, id)
    const body = bodyOf(readChanges(parsedBody(row), { most: Infinity }), row)
    this.keep(id, body, row.sizeBytes)
    return body
  }

  /** Removes a body from the cache, because its row was changed. */
  drop(id: number): void {
    this.bytes -= this.kept.get(id)?.sizeBytes ?? 0
    this.kept.delete(id)
  }
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** Cache of recently parsed webhook bodies. */
    recentBodies: RecentBodies
  }
}

const bodyById = compiled((orm) =>
  orm
    .select({
      body: inboundBodies.body,
      sizeBytes: inboundBodies.sizeBytes,
      signedBy: inboundBodies.signedBy,
      cell: inboundBodies.cell,
    })
    .from(inboundBodies)
    .where(eq(inboundBodies.id, place(inboundBodies.id, 'id')))
    .prepare(),
)

/** Returns the row of a body. Throws if it is missing. */
function bodyRow(deps: Pick<Deps, 'db'>, id: number) {
  const row = bodyById(deps.db).get({ id })
  if (!row) throw new Error('the stored body is missing')
  return row
}

const parsedBody = (row: { body: Uint8Array }): unknown =>
  JSON.parse(unpackBody(row.body).toString('utf8'))

/** Returns a stored body as JSON, without the cache. Throws if the row is missing. */
export const unpackedBody = (deps: Pick<Deps, 'db'>, id: number): unknown =>
  parsedBody(bodyRow(deps, id))
