import { aliasedTable, and, asc, eq } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { maskNumbersIn, maskPhone } from '../../../lib/phone'
import { anyScope, hasIdIn, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { contacts } from '../../inbox/contacts/table'
import { displayNameOf, numbersOfContact } from '../../inbox/contacts/view'
import { masksNumbers } from '../../inbox/contacts/sight/visibility'
import { teams } from '../../inbox/teams/table'
import { users } from '../../organization/users/table'
import type { TransferDetails, TransferView } from './model'
import { transferChanges, transfers } from './table'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

const agents = aliasedTable(users, 'agents')
const creators = aliasedTable(users, 'creators')
const enders = aliasedTable(users, 'enders')

const joined = compiled((orm) =>
  orm
    .select({
      transfer: transfers,
      contact: contacts,
      agentName: agents.fullName,
      creatorName: creators.fullName,
      enderName: enders.fullName,
      teamName: teams.name,
    })
    .from(transfers)
    .innerJoin(
      contacts,
      and(
        eq(contacts.organizationId, transfers.organizationId),
        eq(contacts.id, transfers.contactId),
      ),
    )
    .leftJoin(agents, eq(agents.id, transfers.agentId))
    .leftJoin(creators, eq(creators.id, transfers.transferredBy))
    .leftJoin(enders, eq(enders.id, transfers.endedBy))
    .leftJoin(
      teams,
      and(eq(teams.organizationId, transfers.organizationId), eq(teams.id, transfers.teamId)),
    )
    .where(inOrganization(anyScope, transfers, hasIdIn(transfers.id)))
    .prepare(),
)

type Joined = ReturnType<ReturnType<typeof joined>['all']>[number]

/**
 * Returns transfers as the API shows them, in the order of their IDs. Leaves out those of unknown
 * IDs. Does not check visibility.
 */
export function loadTransferViews(scope: Scope, ids: string[], isMasked: boolean): TransferView[] {
  const rows = joined(scope.db).all({
    organizationId: scope.organizationId,
    ids: JSON.stringify(ids),
  })
  const byId = new Map(rows.map((row) => [row.transfer.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    return row ? [transferView(row, isMasked)] : []
  })
}

/**
 * Returns a transfer as the caller sees it. Does not check visibility, because a caller who has just
 * handed it over still gets a response.
 */
export const transferViewOf = (ctx: Ctx, id: string): TransferView =>
  loadTransferViews(ctx, [id], masksNumbers(ctx))[0] as TransferView // whose row the caller holds

function transferView(row: Joined, isMasked: boolean): TransferView {
  const { transfer, contact } = row
  const number = contact.phoneNumber
  const isResumed = transfer.status === 'resumed'
  // A flow may have written the number into the notes.
  const masked = (text: string): string => maskNumbersIn(text, numbersOfContact(contact))
  return {
    id: transfer.id,
    contact_id: transfer.contactId,
    contact_name: displayNameOf(contact, isMasked),
    phone_number: isMasked && number !== null ? maskPhone(number) : number,
    account_id: transfer.accountId,
    status: transfer.status,
    source: transfer.source,
    priority: transfer.priority,
    agent_id: transfer.agentId,
    agent_name: row.agentName,
    team_id: transfer.teamId,
    team_name: row.teamName,
    transferred_by: transfer.transferredBy,
    transferred_by_name: row.creatorName,
    notes: isMasked && transfer.notes !== null ? masked(transfer.notes) : transfer.notes,
    transferred_at: isoTime(transfer.transferredAtMs),
    picked_up_at: isoTimeOrNull(transfer.pickedUpAtMs),
    first_response_at: isoTimeOrNull(transfer.firstResponseAtMs),
    resumed_at: isResumed ? isoTimeOrNull(transfer.endedAtMs) : null,
    resumed_by: transfer.endedBy,
    resumed_by_name: row.enderName,
    sla_response_deadline: isoTimeOrNull(transfer.responseDueAtMs),
    sla_resolution_deadline: isoTimeOrNull(transfer.resolutionDueAtMs),
    sla_breached: transfer.breachedAtMs !== null,
    sla_breached_at: isoTimeOrNull(transfer.breachedAtMs),
    escalation_level: transfer.escalationLevel,
    escalated_at: isoTimeOrNull(transfer.escalatedAtMs),
    expires_at: isoTimeOrNull(transfer.expiresAtMs),
  }
}

/** Maximum number of entries in the history of a transfer. */
const MAX_HISTORY = 500

/** Returns the history of a transfer, oldest first. */
export function loadHistory(scope: Scope, transferId: string): TransferDetails['history'] {
  return scope.db.orm
    .select({
      change: transferChanges,
      byName: users.fullName,
      agentName: agents.fullName,
      teamName: teams.name,
    })
    .from(transferChanges)
    .leftJoin(users, eq(users.id, transferChanges.userId))
    .leftJoin(agents, eq(agents.id, transferChanges.agentId))
    .leftJoin(
      teams,
      and(
        eq(teams.organizationId, transferChanges.organizationId),
        eq(teams.id, transferChanges.teamId),
      ),
    )
    .where(inOrganization(scope, transferChanges, eq(transferChanges.transferId, transferId)))
    .orderBy(asc(transferChanges.atMs), asc(transferChanges.id))
    .limit(MAX_HISTORY)
    .all()
    .map(({ change, byName, agentName, teamName }) => ({
      at: isoTime(change.atMs),
      kind: change.kind,
      by: change.userId,
      by_name: byName,
      agent_id: change.agentId,
      agent_name: agentName,
      team_id: change.teamId,
      team_name: teamName,
      details: JSON.parse(change.details) as Record<string, unknown>,
    }))
}
