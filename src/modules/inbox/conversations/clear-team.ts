import { eq, inArray } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import { ContactBatchChanged, ContactsChangedInBulk } from '../contacts/events'
import { clearTeamOfContactsIn } from '../contacts/service'
import { ClearTeam } from './jobs'
import { conversations } from './table'
import { recordTimelineIn } from './timeline/record'

const NO_JOB = { reason: 'bulk_update', jobId: null, created: 0, deleted: 0 } as const

/** Rows of each table that are changed in one transaction. */
const BATCH = 500

/**
 * Removes a deleted team from its contacts and conversations: a batch in the caller's transaction,
 * the rest in jobs. `cleared` is the number of contacts and conversations before this batch.
 * Publishes one event at the end.
 */
export function clearTeamIn(tx: Tx, ctx: Ctx, teamId: string, cleared = 0): void {
  const contactIds = clearTeamOfContactsIn(tx, ctx, teamId, BATCH)
  const contacts = contactIds.length
  const rows = clearConversationsIn(tx, ctx, teamId)
  const updated = cleared + contacts + rows
  if (contacts > 0)
    emit(tx, ctx, ContactBatchChanged, {
      contactId: null,
      payload: { ...NO_JOB, updated: contacts, contactIds },
    })
  if (contacts === BATCH || rows === BATCH)
    enqueue(tx, ctx, ClearTeam, { args: { teamId, cleared: updated } })
  else if (updated > 0)
    emit(tx, ctx, ContactsChangedInBulk, {
      contactId: null,
      payload: { ...NO_JOB, updated },
    })
}

function clearConversationsIn(tx: Tx, ctx: Ctx, teamId: string): number {
  const rows = tx
    .select()
    .from(conversations)
    .where(inOrganization(ctx, conversations, eq(conversations.teamId, teamId)))
    .limit(BATCH)
    .all()
  const ids = rows.map(({ id }) => id)
  if (ids.length > 0)
    tx.update(conversations)
      .set({ teamId: null, updatedAtMs: ctx.clock.nowMs() })
      .where(inOrganization(ctx, conversations, inArray(conversations.id, ids)))
      .run()
  for (const row of rows)
    recordTimelineIn(tx, ctx, { before: row, after: { ...row, teamId: null } })
  return ids.length
}
