import { and, eq, isNotNull, lt, sum } from 'drizzle-orm'
import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core'

import { DAY_MS } from '../../../lib/clock'
import { inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contacts } from '../../inbox/contacts/table'
import { media } from '../../channel/media/table'
import { messages } from '../../inbox/messages/table'
import { notes } from '../../inbox/contacts/notes/table'
import {
  storedLimits,
  retentionRow,
  type RetentionChanges,
} from '../../organization/organizations/retention/service'
import { inactiveSince } from './inactive'

/** Counting stops at this number. */
const MAX_COUNTED = 100_000

/** The number of items a sweep would erase with given limits. */
export interface DeletionPreview {
  messages: number
  media: number
  media_bytes: number
  notes: number
  contacts: number
}

/** Limits that may be tried, and those that count where none is. */
interface PreviewQuery {
  changes: RetentionChanges
  journalDays: number
}

/** Counts the items that a sweep would erase with these limits. Changes nothing. */
export function previewRetention(
  ctx: ReadCtx,
  { changes, journalDays }: PreviewQuery,
): { would_delete: DeletionPreview } {
  const row = retentionRow(ctx, ctx.organizationId)
  const limits = { ...storedLimits(row, journalDays), ...changes }
  const isHeld = changes.legal_hold ?? row.isLegalHold
  const before = (days: number | null): number | null =>
    days === null || isHeld ? null : ctx.clock.nowMs() - days * DAY_MS
  const number = (
    table: SQLiteTable & { organizationId: SQLiteColumn },
    older: (beforeMs: number) => SQL | undefined,
    days: number | null,
  ) => {
    const beforeMs = before(days)
    if (beforeMs === null) return 0
    const found = ctx.db.orm
      .select({ one: sql`1`.as('one') })
      .from(table)
      .where(inOrganization(ctx, table, older(beforeMs)))
      .limit(MAX_COUNTED)
      .as('found')
    return (
      ctx.db.orm
        .select({ rows: sql<number>`count(*)` })
        .from(found)
        .get()?.rows ?? 0
    )
  }
  const oldFiles = (beforeMs: number): SQL | undefined =>
    and(eq(media.state, 'ready'), isNotNull(media.storedAs), lt(media.createdAtMs, beforeMs))
  const filesBeforeMs = before(limits.media_days)
  const bytes =
    filesBeforeMs === null
      ? 0
      : ctx.db.orm
          .select({ bytes: sum(media.sizeBytes) })
          .from(media)
          .where(inOrganization(ctx, media, oldFiles(filesBeforeMs)))
          .get()?.bytes
  return {
    would_delete: {
      messages: number(
        messages,
        (beforeMs) => lt(messages.createdAtMs, beforeMs),
        limits.messages_days,
      ),
      media: number(media, oldFiles, limits.media_days),
      media_bytes: Number(bytes ?? 0),
      notes: number(notes, (beforeMs) => lt(notes.createdAtMs, beforeMs), limits.notes_days),
      contacts: number(contacts, inactiveSince, limits.contacts_inactive_days),
    },
  }
}
