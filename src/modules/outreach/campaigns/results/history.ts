import { Type, type Static } from '@sinclair/typebox'
import { and, desc, eq, inArray } from 'drizzle-orm'

import { isoTime } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { FieldChange } from '../../../organization/audit/record'
import { auditLogs } from '../../../organization/audit/table'
import { PauseReasonView, Time, textOrNull, type CampaignView } from '../model'
import { getCampaignRow } from '../state'

const TURNS = [
  'created',
  'scheduled',
  'started',
  'paused',
  'resumed',
  'retried',
  'completed',
  'cancelled',
] as const

/** What happened to a campaign: who did it, or why it happened by itself. */
export const HistoryView = Type.Object(
  {
    turns: Type.Array(
      Type.Object({
        at: Time,
        what: Type.String({ enum: [...TURNS] }),
        by: Type.Union(textOrNull.anyOf, {
          description: 'Name of the user at that time. `null` if it happened by itself.',
        }),
        reason: PauseReasonView,
      }),
      { description: 'Newest first, up to 100.' },
    ),
  },
  { title: 'CampaignHistory' },
)
export type HistoryView = Static<typeof HistoryView>

const MAX_TURNS = 100

/**
 * Returns what happened to a campaign, as far as the audit log remembers. Throws NotFoundError.
 */
export function historyOf(ctx: Ctx, campaignId: string): HistoryView {
  getCampaignRow(ctx, campaignId)
  const rows = ctx.db.orm
    .select({
      what: auditLogs.action,
      by: auditLogs.userName,
      changes: auditLogs.changes,
      atMs: auditLogs.createdAtMs,
    })
    .from(auditLogs)
    .where(
      inOrganization(
        ctx,
        auditLogs,
        and(
          eq(auditLogs.resourceId, campaignId),
          eq(auditLogs.resourceType, 'campaign'),
          inArray(auditLogs.action, [...TURNS]),
        ),
      ),
    )
    .orderBy(desc(auditLogs.createdAtMs), desc(auditLogs.id))
    .limit(MAX_TURNS)
    .all()
  return {
    turns: rows.map(({ atMs, changes, what, by }) => ({
      at: isoTime(atMs),
      what,
      by,
      reason: what === 'paused' ? reasonIn(changes) : null,
    })),
  }
}

/** A person who pauses writes down no reason. */
function reasonIn(changes: string): CampaignView['pause_reason'] {
  const found = (JSON.parse(changes) as FieldChange[]).find(({ field }) => field === 'pause_reason')
  return typeof found?.new_value === 'string' ? found.new_value : 'user'
}
