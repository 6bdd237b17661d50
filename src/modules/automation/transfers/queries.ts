import { and, eq, inArray, isNull, not, or, type SQL } from 'drizzle-orm'

import { NotFoundError } from '../../../lib/errors'
import { hasPermission, inOrganization, type Ctx } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contacts } from '../../inbox/contacts/table'
import { isVisibleIn, masksNumbers } from '../../inbox/contacts/sight/visibility'
import { teamMembers } from '../../inbox/teams/table'
import { isActiveTransfer } from './find'
import { loadHistory, loadTransferViews } from './load-views'
import type { TransferDetails } from './model'
import type { TransferRow } from './rules'
import { transfers } from './table'

const ofContact = and(
  eq(contacts.organizationId, transfers.organizationId),
  eq(contacts.id, transfers.contactId),
)

/**
 * Returns the condition that limits a query to transfers the caller may list: own ones, the queues
 * of own teams and the general queue; all with `transfers:assign`. Their contacts must be visible.
 */
export const listableBy = (ctx: ReadCtx): SQL | undefined => and(isOwn(ctx), hasVisibleContact(ctx))

function isOwn(ctx: ReadCtx): SQL | undefined {
  if (hasPermission(ctx.actor, 'transfers:assign')) return undefined
  const userId = ctx.actor.userId ?? ''
  const ownTeams = ctx.db.orm
    .select({ id: teamMembers.teamId })
    .from(teamMembers)
    .where(inOrganization(ctx, teamMembers, eq(teamMembers.userId, userId)))
  return or(
    eq(transfers.agentId, userId),
    and(
      isNull(transfers.agentId),
      or(isNull(transfers.teamId), inArray(transfers.teamId, ownTeams)),
    ),
  )
}

/** Returns the condition that the contact of a transfer is visible, or that the caller had it last. */
function hasVisibleContact(ctx: ReadCtx): SQL | undefined {
  const isVisible = isVisibleIn(ctx, transfers.contactId)
  if (isVisible === undefined || !hasPermission(ctx.actor, 'contacts:read')) return isVisible
  const isFormer = and(not(isActiveTransfer), eq(transfers.agentId, ctx.actor.userId ?? ''))
  return or(isFormer, isVisible)
}

/** Returns the row of a transfer the caller may list. Throws NotFoundError. */
export function getListableTransfer(ctx: Ctx, id: string): TransferRow {
  const found = ctx.db.orm
    .select({ transfer: transfers })
    .from(transfers)
    .innerJoin(contacts, ofContact)
    .where(
      inOrganization(
        ctx,
        transfers,
        eq(transfers.id, id),
        isNull(contacts.deletedAtMs),
        listableBy(ctx),
      ),
    )
    .get()
  if (!found) throw new NotFoundError('Transfer')
  return found.transfer
}

/** Returns a transfer with its history if the caller may list it. Throws NotFoundError. */
export function getTransfer(ctx: Ctx, id: string): TransferDetails {
  const row = getListableTransfer(ctx, id)
  const [view] = loadTransferViews(ctx, [row.id], masksNumbers(ctx))
  if (!view) throw new NotFoundError('Transfer')
  return { ...view, history: loadHistory(ctx, id) }
}
