import {
  and,
  desc,
  eq,
  getTableColumns,
  isNotNull,
  isNull,
  lte,
  or,
  sql,
  type SQL,
} from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { CursorKey } from '../../../../lib/page'
import { campaignRecipients, campaigns } from '../../../outreach/campaigns/table'
import { botSessions } from '../../../automation/chatbot/engine/table'
import { contactMerges } from '../../contacts/table'
import { transferChanges, transfers } from '../../../automation/transfers/table'
import type { TIMELINE_KINDS } from './model'
import { timelineEntries, type TIMELINE_ACTORS } from './table'

/** An entry as it is found. Names are added when it is shown. */
export interface FoundEntry {
  id: string
  atMs: number
  /** Decides between entries of the same time: an end comes after its beginning. */
  rank: 0 | 1
  kind: (typeof TIMELINE_KINDS)[number]
  actor: { type: (typeof TIMELINE_ACTORS)[number]; id: string | null }
  details: Record<string, unknown>
}

/** Which entries are read: the newest ones of a conversation before a position. */
export interface Window {
  contactId: string
  accountId: string
  before: CursorKey | null
  limit: number
}

/** The position of an entry: time and rank in one number, and the ID. */
export const positionOf = ({ id, atMs, rank }: FoundEntry): CursorKey => ({
  value: atMs * 2 + rank,
  id,
})

/** Limits a query to rows of rank 0 before a position. */
function isBefore(
  { before }: Window,
  { at, id }: { at: SQLiteColumn; id: SQLiteColumn },
): SQL | undefined {
  if (before?.value == null) return undefined
  const atMs = Math.floor(before.value / 2)
  return before.value % 2 === 1
    ? lte(at, atMs)
    : sql`(${at}, ${id}) < (${atMs}, ${sql.param(before.id, id)})`
}

type Source = (ctx: Ctx, window: Window) => FoundEntry[]

const recorded: Source = (ctx, window) => {
  const { contactId, accountId, atMs, id } = timelineEntries
  return ctx.db.orm
    .select()
    .from(timelineEntries)
    .where(
      inOrganization(
        ctx,
        timelineEntries,
        eq(contactId, window.contactId),
        or(isNull(accountId), eq(accountId, window.accountId)),
        isBefore(window, { at: atMs, id }),
      ),
    )
    .orderBy(desc(atMs), desc(id))
    .limit(window.limit)
    .all()
    .map((row) => ({
      id: row.id,
      atMs: row.atMs,
      rank: 0,
      kind: row.kind,
      actor: { type: row.actorType, id: row.actorId },
      details: JSON.parse(row.details) as Record<string, unknown>,
    }))
}

const BY_BOT: readonly string[] = ['flow', 'keyword', 'ai', 'fallback', 'chatbot_disabled']

const transferred: Source = (ctx, window) =>
  ctx.db.orm
    .select({
      ...getTableColumns(transfers),
      toUserId: transferChanges.agentId,
      toTeamId: transferChanges.teamId,
    })
    .from(transfers)
    .leftJoin(
      transferChanges,
      inOrganization(
        ctx,
        transferChanges,
        eq(transferChanges.transferId, transfers.id),
        eq(transferChanges.kind, 'created'),
      ),
    )
    .where(
      inOrganization(
        ctx,
        transfers,
        eq(transfers.contactId, window.contactId),
        eq(transfers.accountId, window.accountId),
        isBefore(window, { at: transfers.transferredAtMs, id: transfers.id }),
      ),
    )
    .orderBy(desc(transfers.transferredAtMs), desc(transfers.id))
    .limit(window.limit)
    .all()
    .map((row) => ({
      id: row.id,
      atMs: row.transferredAtMs,
      rank: 0,
      kind: 'transferred',
      actor: {
        type: BY_BOT.includes(row.source) ? 'bot' : row.transferredBy === null ? 'system' : 'user',
        id: BY_BOT.includes(row.source) ? null : row.transferredBy,
      },
      details: {
        transfer_id: row.id,
        source: row.source,
        user_id: row.toUserId,
        team_id: row.toTeamId,
      },
    }))

const BOT = { type: 'bot', id: null } as const

/** Sessions that began at the same time as the last one of a page. */
const SPARE_SESSIONS = 8

/** Sessions on one number follow each other, so they end in the order in which they began. */
const ofBot: Source = (ctx, window) =>
  ctx.db.orm
    .select({
      id: botSessions.id,
      startedAtMs: botSessions.startedAtMs,
      endedAtMs: botSessions.endedAtMs,
      status: botSessions.status,
    })
    .from(botSessions)
    .where(
      inOrganization(
        ctx,
        botSessions,
        eq(botSessions.contactId, window.contactId),
        eq(botSessions.accountId, window.accountId),
        window.before?.value == null
          ? undefined
          : lte(botSessions.startedAtMs, Math.floor(window.before.value / 2)),
      ),
    )
    .orderBy(desc(botSessions.startedAtMs), desc(botSessions.id))
    .limit(window.limit + SPARE_SESSIONS)
    .all()
    .flatMap(({ id, startedAtMs, endedAtMs, status }): FoundEntry[] => [
      {
        id,
        atMs: startedAtMs,
        rank: 0,
        kind: 'bot_started',
        actor: BOT,
        details: { session_id: id },
      },
      ...(endedAtMs === null
        ? []
        : [
            {
              id,
              atMs: endedAtMs,
              rank: 1 as const,
              kind: 'bot_ended' as const,
              actor: BOT,
              details: { session_id: id, status },
            },
          ]),
    ])

const merged: Source = (ctx, window) =>
  ctx.db.orm
    .select()
    .from(contactMerges)
    .where(
      inOrganization(
        ctx,
        contactMerges,
        eq(contactMerges.targetId, window.contactId),
        isNull(contactMerges.undoneAtMs),
        isBefore(window, { at: contactMerges.mergedAtMs, id: contactMerges.id }),
      ),
    )
    .orderBy(desc(contactMerges.mergedAtMs), desc(contactMerges.id))
    .limit(window.limit)
    .all()
    .map((row) => ({
      id: row.id,
      atMs: row.mergedAtMs,
      rank: 0,
      kind: 'merged',
      actor: { type: row.actorId === null ? 'system' : 'user', id: row.actorId },
      details: { contact_id: row.sourceId },
    }))

const ofCampaigns: Source = (ctx, window) => {
  const { id, contactId, sentAtMs } = campaignRecipients
  return ctx.db.orm
    .select({ id, sentAtMs, campaignId: campaigns.id })
    .from(campaignRecipients)
    .innerJoin(
      campaigns,
      and(
        eq(campaigns.organizationId, campaignRecipients.organizationId),
        eq(campaigns.id, campaignRecipients.campaignId),
        eq(campaigns.accountId, window.accountId),
      ),
    )
    .where(
      inOrganization(
        ctx,
        campaignRecipients,
        eq(contactId, window.contactId),
        isNotNull(sentAtMs),
        isBefore(window, { at: sentAtMs, id }),
      ),
    )
    .orderBy(desc(sentAtMs), desc(id))
    .limit(window.limit)
    .all()
    .map((row) => ({
      id: row.id,
      atMs: row.sentAtMs ?? 0,
      rank: 0,
      kind: 'campaign_sent',
      actor: { type: 'system', id: null },
      details: { campaign_id: row.campaignId },
    }))
}

/** Everything that a timeline is made of. */
export const SOURCES: readonly Source[] = [recorded, transferred, ofBot, merged, ofCampaigns]
