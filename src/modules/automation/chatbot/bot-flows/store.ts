import { and, eq, gt, inArray, lt, notInArray, type SQL } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { of } from '../../../../infra/scoped'
import type { Tx } from '../../../../infra/db/transact'
import { keepMediaIn, releaseMediaIn } from '../../../channel/media/store'
import { botSessions } from '../engine/table'
import { sealNodeHeaders } from './secrets'
import { botFlowReferences, botFlowVersions, DRAFT } from './table'
import type { ReadGraph } from './validate/read-graph'

/** Published versions of a flow that are kept. */
const MAX_VERSIONS = 50

/** Stores a graph as the draft of a flow, in the place of another one. */
export function storeDraftIn(tx: Tx, ctx: Ctx, flowId: string, read: ReadGraph): void {
  deleteVersionsIn(tx, ctx, flowId, eq(botFlowVersions.version, DRAFT))
  insertVersionIn(tx, ctx, { flowId, version: DRAFT, publishedAtMs: null, publishedBy: null }, read)
}

/**
 * Stores a valid graph as a published version and deletes the draft. Deletes old versions, except
 * those that sessions still follow.
 */
export function storeVersionIn(
  tx: Tx,
  ctx: Ctx,
  at: { flowId: string; version: number },
  read: ReadGraph,
): void {
  const published = { publishedAtMs: ctx.clock.nowMs(), publishedBy: ctx.actor.userId }
  insertVersionIn(tx, ctx, { ...at, ...published }, read)
  deleteVersionsIn(tx, ctx, at.flowId, eq(botFlowVersions.version, DRAFT))
  deleteUnusedVersionsIn(tx, ctx, at.flowId, at.version - MAX_VERSIONS + 1)
}

/** Deletes the published versions of a flow below a number that no active session follows. */
export function deleteUnusedVersionsIn(tx: Tx, ctx: Ctx, flowId: string, below: number): void {
  const used = tx
    .selectDistinct({ version: botSessions.flowVersion })
    .from(botSessions)
    .where(
      inOrganization(
        ctx,
        botSessions,
        and(eq(botSessions.flowId, flowId), eq(botSessions.status, 'active')),
      ),
    )
    .all()
    .flatMap(({ version }) => version ?? [])
  deleteVersionsIn(
    tx,
    ctx,
    flowId,
    and(
      gt(botFlowVersions.version, DRAFT),
      lt(botFlowVersions.version, below),
      notInArray(botFlowVersions.version, used),
    ),
  )
}

type VersionRow = typeof botFlowVersions.$inferInsert
type Placed = Pick<VersionRow, 'flowId' | 'version' | 'publishedAtMs' | 'publishedBy'>

function insertVersionIn(tx: Tx, ctx: Ctx, row: Placed, read: ReadGraph): void {
  of(ctx, botFlowVersions).insert(tx, {
    ...row,
    graph: JSON.stringify(read.graph),
    headersSealed: sealNodeHeaders(ctx, row.flowId, read.headers),
  })
  const { flowId, version } = row
  const named = new Map(read.references.map(({ kind, id }) => [`${kind} ${id}`, { kind, id }]))
  for (const { kind, id } of named.values())
    of(ctx, botFlowReferences).insert(tx, { flowId, version, kind, targetId: id })
  keepMediaIn(
    tx,
    ctx,
    [...named.values()].flatMap(({ kind, id }) => (kind === 'media' ? [id] : [])),
  )
}

/** Deletes versions of a flow. Their files expire unless they are used elsewhere. */
export function deleteVersionsIn(tx: Tx, ctx: Ctx, flowId: string, which: SQL | undefined): void {
  const versions = tx
    .select({ version: botFlowVersions.version })
    .from(botFlowVersions)
    .where(inOrganization(ctx, botFlowVersions, and(eq(botFlowVersions.flowId, flowId), which)))
    .all()
    .map(({ version }) => version)
  if (versions.length === 0) return
  const files = tx
    .delete(botFlowReferences)
    .where(
      inOrganization(
        ctx,
        botFlowReferences,
        and(eq(botFlowReferences.flowId, flowId), inArray(botFlowReferences.version, versions)),
      ),
    )
    .returning({ kind: botFlowReferences.kind, id: botFlowReferences.targetId })
    .all()
    .flatMap(({ kind, id }) => (kind === 'media' ? [id] : []))
  of(ctx, botFlowVersions).delete(
    tx,
    and(eq(botFlowVersions.flowId, flowId), inArray(botFlowVersions.version, versions)),
  )
  for (const id of new Set(files)) releaseMediaIn(tx, ctx, id)
}
