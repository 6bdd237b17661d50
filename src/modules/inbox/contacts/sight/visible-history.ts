import { and, eq, exists, gt, isNull, not, or, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { anyScope, inOrganization, INSTALLATION } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import { chatbotSettings } from '../../../automation/chatbot-settings/table'
import { transfers } from '../../../automation/transfers/table'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { contacts } from '../table'
import { masksNumbers, seesAll } from './visibility'

type Viewer = Pick<ReadCtx, 'db' | 'organizationId' | 'actor'>

const currentOnly = compiled((orm) =>
  orm
    .select({
      isOn: sql<
        number | null
      >`json_extract(${chatbotSettings.fields}, '$.agent_current_conversation_only')`,
    })
    .from(chatbotSettings)
    .where(inOrganization(anyScope, chatbotSettings, eq(chatbotSettings.accountId, INSTALLATION)))
    .prepare(),
)

/**
 * Whether agents see the messages of transferred contacts from the transfer on only
 * (`agent_current_conversation_only`).
 */
const limitsAgents = ({ db, organizationId }: Pick<ReadCtx, 'db' | 'organizationId'>): boolean =>
  currentOnly(db).get({ organizationId })?.isOn === 1

/** Whether that concerns the caller. Callers with `contacts:read_all` see all messages. */
const isLimited = (viewer: Viewer): boolean => !seesAll(viewer.actor) && limitsAgents(viewer)

/**
 * Returns the condition that the caller sees what happened with a contact at a time: not what
 * happened before a transfer that the caller has, or sees in a queue, unless the contact is assigned
 * to the caller. Visibility of the contact is checked apart.
 */
export function isShownHistory(
  ctx: Viewer,
  columns: { contactId: SQLiteColumn; atMs: SQLiteColumn },
): SQL | undefined {
  if (!isLimited(ctx)) return undefined
  const userId = ctx.actor.userId ?? ''
  const { orm } = ctx.db
  const isBefore = exists(
    orm
      .select({ one: sql`1` })
      .from(transfers)
      .where(
        inOrganization(
          ctx,
          transfers,
          eq(transfers.contactId, columns.contactId),
          sql`${transfers.status} = 'active'`,
          or(eq(transfers.agentId, userId), isNull(transfers.agentId)),
          gt(transfers.transferredAtMs, columns.atMs),
        ),
      ),
  )
  const isOwn = exists(
    orm
      .select({ one: sql`1` })
      .from(contacts)
      .where(
        inOrganization(
          ctx,
          contacts,
          eq(contacts.id, columns.contactId),
          eq(contacts.assignedTo, userId),
        ),
      ),
  )
  return or(not(isBefore), isOwn)
}

const transferOf = compiled((orm) =>
  orm
    .select({
      agentId: transfers.agentId,
      transferredAtMs: transfers.transferredAtMs,
      ownerId: contacts.assignedTo,
    })
    .from(transfers)
    .innerJoin(
      contacts,
      and(
        eq(contacts.organizationId, transfers.organizationId),
        eq(contacts.id, transfers.contactId),
      ),
    )
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(
          eq(transfers.contactId, place(transfers.contactId, 'contactId')),
          sql`${transfers.status} = 'active'`,
        ),
      ),
    )
    .prepare(),
)

/**
 * Returns from when the caller sees the history of a contact, epoch milliseconds, or `undefined` if
 * the caller sees all of it. The same rule as {@link isShownHistory}.
 */
export function historyFromMs(ctx: Viewer, contactId: string): number | undefined {
  if (!isLimited(ctx)) return undefined
  const { organizationId, actor } = ctx
  const transfer = transferOf(ctx.db).get({ organizationId, contactId })
  if (!transfer || transfer.ownerId === actor.userId) return undefined
  const isSeen = transfer.agentId === null || transfer.agentId === actor.userId
  return isSeen ? transfer.transferredAtMs : undefined
}

/** Limits on what is shown of contacts that a viewer may see. */
export interface ContactSight {
  /** Whether phone numbers are masked. */
  isMasked: boolean
  /** Start of the history that is shown, epoch milliseconds; `undefined` for all of it. */
  historyFromMs: (contactId: string) => number | undefined
}

/** Returns the limits for the caller. */
export const sightOf = (ctx: Viewer): ContactSight => ({
  isMasked: masksNumbers(ctx),
  historyFromMs: (contactId) => historyFromMs(ctx, contactId),
})

/**
 * Returns the strictest limits of any viewer of a contact, for texts that viewers share, such as
 * frames.
 */
export const sharedSight = (
  scope: Pick<ReadCtx, 'db' | 'organizationId'>,
  isMasked: boolean,
): ContactSight => ({
  isMasked,
  historyFromMs: (contactId) =>
    limitsAgents(scope)
      ? transferOf(scope.db).get({ organizationId: scope.organizationId, contactId })
          ?.transferredAtMs
      : undefined,
})
