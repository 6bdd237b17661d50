import { and, count, desc, eq, gt } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { NotFoundError } from '../../../../lib/errors'
import { numberedPage, totalAtEnd, type Page } from '../../../../lib/page'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { recordAudit } from '../../../organization/audit/record'
import { users } from '../../../organization/users/table'
import { findGraph, requireBotFlow, rereadGraph, viewOf, type StoredGraph } from './find'
import type { BotFlowVersionSummary, BotFlowVersionView, BotFlowView } from './model'
import { storeDraftIn } from './store'
import { botFlowVersions, DRAFT } from './table'
import { changeBotFlowIn } from './update'
import { compileAhead } from './validate/compile-ahead'

const COLUMNS = {
  version: botFlowVersions.version,
  publishedAtMs: botFlowVersions.publishedAtMs,
  publishedBy: botFlowVersions.publishedBy,
  publishedByName: users.fullName,
}

/** Returns a page of the published versions that are kept, newest first. Throws NotFoundError. */
export function listVersions(
  ctx: Ctx,
  id: string,
  query: { page: number; limit: number },
): Page<BotFlowVersionSummary> {
  requireBotFlow(ctx, id)
  const filter = inOrganization(
    ctx,
    botFlowVersions,
    and(eq(botFlowVersions.flowId, id), gt(botFlowVersions.version, DRAFT)),
  )
  const rows = ctx.db.orm
    .select(COLUMNS)
    .from(botFlowVersions)
    .leftJoin(users, eq(users.id, botFlowVersions.publishedBy))
    .where(filter)
    .orderBy(desc(botFlowVersions.version))
    .limit(query.limit + 1)
    .offset((query.page - 1) * query.limit)
    .all()
  const total =
    totalAtEnd(rows.length, query) ??
    ctx.db.orm.select({ rows: count() }).from(botFlowVersions).where(filter).get()?.rows ??
    0
  return numberedPage(rows.slice(0, query.limit).map(versionSummary), total, query)
}

const versionSummary = (row: {
  version: number
  publishedAtMs: number | null
  publishedBy: string | null
  publishedByName: string | null
}): BotFlowVersionSummary => ({
  version: row.version,
  published_at: isoTime(row.publishedAtMs ?? 0),
  published_by: row.publishedBy,
  published_by_name: row.publishedByName,
})

/** Returns a published version with its graph. Throws NotFoundError. */
export function getVersion(ctx: Ctx, id: string, version: number): BotFlowVersionView {
  requireBotFlow(ctx, id)
  const { graph } = requireVersion(ctx, id, version)
  const row = ctx.db.orm
    .select(COLUMNS)
    .from(botFlowVersions)
    .leftJoin(users, eq(users.id, botFlowVersions.publishedBy))
    .where(
      inOrganization(
        ctx,
        botFlowVersions,
        and(eq(botFlowVersions.flowId, id), eq(botFlowVersions.version, version)),
      ),
    )
    .get()
  if (!row) throw new NotFoundError('Version')
  return { ...versionSummary(row), graph }
}

function requireVersion(ctx: Ctx, id: string, version: number): StoredGraph {
  const stored = version > DRAFT ? findGraph(ctx, id, version) : null
  if (!stored) throw new NotFoundError('Version')
  return stored
}

/** Makes a published version the draft of its flow. Throws NotFoundError. */
export async function restoreVersion(ctx: Ctx, id: string, version: number): Promise<BotFlowView> {
  requireBotFlow(ctx, id)
  await compileAhead(ctx, requireVersion(ctx, id, version).graph)
  return transact(ctx.db, (tx) => {
    const before = requireBotFlow(ctx, id)
    const read = rereadGraph(ctx, before, requireVersion(ctx, id, version))
    storeDraftIn(tx, ctx, id, read)
    const row = changeBotFlowIn(tx, ctx, id, { hasDraft: true })
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'bot_flow',
      resourceId: id,
      resourceName: row.name,
      changes: [{ field: 'draft', old_value: null, new_value: `version ${version}` }],
    })
    return viewOf(ctx, row)
  })
}
