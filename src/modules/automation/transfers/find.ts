import { and, eq, inArray, sql } from 'drizzle-orm'

import { anyScope, inOrganization } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { compiled, place } from '../../../infra/db/compiled'
import type { TransferRow } from './rules'
import { transfers } from './table'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

/** Matches active transfers in the words of the partial indexes. */
export const isActiveTransfer = sql`${transfers.status} = 'active'`

const byId = compiled((orm) =>
  orm
    .select()
    .from(transfers)
    .where(inOrganization(anyScope, transfers, eq(transfers.id, place(transfers.id, 'id'))))
    .prepare(),
)

/** Returns a transfer, or `null`. Does not check visibility. */
export const findTransfer = (ctx: Scope, id: string): TransferRow | null =>
  byId(ctx.db).get({ organizationId: ctx.organizationId, id }) ?? null

const activeOf = compiled((orm) =>
  orm
    .select()
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(eq(transfers.contactId, place(transfers.contactId, 'contactId')), isActiveTransfer),
      ),
    )
    .prepare(),
)

/** Returns the active transfer of a contact, or `null`. It covers all numbers of the contact. */
export const findActiveTransfer = (ctx: Scope, contactId: string): TransferRow | null =>
  activeOf(ctx.db).get({ organizationId: ctx.organizationId, contactId }) ?? null

/**
 * Whether a transfer keeps the bot silent. A conversation that waits because nobody answered it does
 * not, until a person gets it.
 */
export const holdsBot = ({ source, agentId }: Pick<TransferRow, 'source' | 'agentId'>): boolean =>
  source !== 'new_conversation' || agentId !== null

/** Returns the active transfer of a contact if it keeps the bot silent, otherwise `null`. */
export function findHoldingTransfer(ctx: Scope, contactId: string): TransferRow | null {
  const row = findActiveTransfer(ctx, contactId)
  return row !== null && holdsBot(row) ? row : null
}

/** Returns the active transfer of a conversation: that of its contact, if on the same number. */
export function transferOf(
  ctx: Scope,
  { contactId, accountId }: Pick<TransferRow, 'contactId' | 'accountId'>,
): TransferRow | null {
  const row = findActiveTransfer(ctx, contactId)
  return row?.accountId === accountId ? row : null
}

/** Returns the active transfers of these contacts. */
export const findActiveTransfers = (ctx: Scope, contactIds: string[]): TransferRow[] =>
  ctx.db.orm
    .select()
    .from(transfers)
    .where(
      inOrganization(ctx, transfers, inArray(transfers.contactId, contactIds), isActiveTransfer),
    )
    .all()

const heldBy = compiled((orm) =>
  orm
    .select()
    .from(transfers)
    .where(
      inOrganization(
        anyScope,
        transfers,
        and(eq(transfers.agentId, place(transfers.agentId, 'userId')), isActiveTransfer),
      ),
    )
    .prepare(),
)

/** Returns the active transfers of a person. */
export const transfersOf = (ctx: Scope, userId: string): TransferRow[] =>
  heldBy(ctx.db).all({ organizationId: ctx.organizationId, userId })

/** Returns the numbers of active transfers of people: over all teams, and of one queue. */
export function loadOf(
  ctx: Scope,
  userIds: string[],
  teamId: string | null,
): Map<string, { active: number; activeInTeam: number }> {
  const inTeam = teamId === null ? sql`${transfers.teamId} is null` : eq(transfers.teamId, teamId)
  const rows = ctx.db.orm
    .select({
      userId: transfers.agentId,
      active: sql<number>`count(*)`,
      activeInTeam: sql<number>`sum(${inTeam})`,
    })
    .from(transfers)
    .where(inOrganization(ctx, transfers, inArray(transfers.agentId, userIds), isActiveTransfer))
    .groupBy(transfers.agentId)
    .all()
  return new Map(
    rows.map(({ userId, active, activeInTeam }) => [userId ?? '', { active, activeInTeam }]),
  )
}
