import { eq, sql } from 'drizzle-orm'

import type { Deps } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { readChanges, type ReadChange } from '../../../platform/webhook/body'
import { placeOf } from '../verify-signature'
import { inboundBodies } from '../table'

/** A journaled body: its changes as they are read, and who signed it. */
export interface Body {
  changeAt: (entryIndex: number, changeIndex: number) => ReadChange | null
  signedBy: string
}

/** A body of these changes. */
export function bodyOf(changes: ReadChange[], signedBy: string): Body {
  const byPlace = new Map(changes.map((change) => [placeOf(change), change]))
  return {
    changeAt: (entryIndex, changeIndex) =>
      byPlace.get(placeOf({ entryIndex, changeIndex })) ?? null,
    signedBy,
  }
}

/** Read, a body takes ten times the memory of its bytes. */
const MAX_KEPT_BYTES = 8 * 1024 * 1024

/**
 * What was not worked off by then is in arrears or was put off, milliseconds: it is unpacked again
 * when its turn comes.
 */
const MAX_KEPT_MS = 30_000

/**
 * Bodies read a moment ago. Changes are worked off right after they were journaled, and a body of a
 * thousand changes would otherwise be unpacked a thousand times. Bounded by bytes and by age,
 * oldest out first; losing an entry costs only time.
 */
export class RecentBodies {
  private readonly kept = new Map<string, { body: Body; sizeBytes: number; sinceMs: number }>()
  private bytes = 0

  /** Keeps a body that was read. */
  keep(id: string, body: Body, sizeBytes: number): void {
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

  /** The body with this id, from memory or unpacked. Throws when the row is gone. */
  read(deps: Pick<Deps, 'db'>, id: string): Body {
    const known = this.kept.get(id)
    if (known) return known.body
    const row = bodyRow(deps, id)
    const body = bodyOf(readChanges(parsedBody(row), { most: Infinity }), row.signedBy)
    this.keep(id, body, row.sizeBytes)
    return body
  }

  /** Forgets a body whose row was changed. */
  drop(id: string): void {
    this.bytes -= this.kept.get(id)?.sizeBytes ?? 0
    this.kept.delete(id)
  }
}

declare module '../../../infra/ctx' {
  interface Deps {
    /** Bodies of deliveries that were parsed a moment ago. */
    recentBodies: RecentBodies
  }
}

const bodyById = compiled((orm) =>
  orm
    .select({
      body: inboundBodies.body,
      sizeBytes: inboundBodies.sizeBytes,
      signedBy: inboundBodies.signedBy,
    })
    .from(inboundBodies)
    .where(eq(inboundBodies.id, sql.placeholder('id')))
    .prepare(),
)

/** The row of a body. Throws when it is gone. */
function bodyRow(deps: Pick<Deps, 'db'>, id: string) {
  const row = bodyById(deps.db).get({ id })
  if (!row) throw new Error('the stored body is missing')
  return row
}

const parsedBody = (row: { body: Uint8Array }): unknown =>
  JSON.parse(Buffer.from(Bun.zstdDecompressSync(row.body)).toString('utf8'))

/** A journaled body as JSON, read anew. Throws when the row is gone. */
export const unpackedBody = (deps: Pick<Deps, 'db'>, id: string): unknown =>
  parsedBody(bodyRow(deps, id))

/** A body as the journal stores it: zstd, quick rather than small. */
export const packBody = (bytes: Uint8Array): Buffer => Bun.zstdCompressSync(bytes, { level: 1 })
