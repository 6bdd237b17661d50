import type { Static } from '@sinclair/typebox'

import type { Actor } from '../../../../infra/actor'
import { hasPermission } from '../../../../infra/ctx'
import type { LoggedEvent } from '../../../../infra/outbox/events'
import {
  viewersOf,
  isAmong,
  seesAll,
  seesGeneralQueue,
} from '../../../inbox/contacts/sight/visibility'
import { membersOf } from '../../../inbox/teams/find'
import { TRANSFER_EVENTS, TransferCreated } from '../../../automation/transfers/events'
import { findTransfer } from '../../../automation/transfers/find'
import { loadTransferViews } from '../../../automation/transfers/load-views'
import { frame, type FrameEntry, type FrameScope, type Payload } from './kind'

type TransferEvent = Static<typeof TransferCreated.payload>

function transferUpdated(
  scope: FrameScope,
  { transferId, changed, reason }: TransferEvent,
  { isMasked }: { isMasked: boolean },
): Payload {
  const [view] = loadTransferViews(scope, [transferId], isMasked)
  return view ? { ...view, changed, reason } : null
}

/** Frames about transfers. Who receives them: {@link transferAudience}. */
export const transferFrames: FrameEntry[] = [
  frame(TransferCreated, {
    type: 'transfer:new',
    resource: 'transfers',
    audience: 'listed',
    render: (scope, { transferId }, { isMasked }) =>
      loadTransferViews(scope, [transferId], isMasked)[0] ?? null,
  }),
  ...TRANSFER_EVENTS.filter((event) => event !== TransferCreated).map((event) =>
    frame(event, {
      type: 'transfer:updated',
      resource: 'transfers',
      audience: 'listed',
      render: transferUpdated,
    }),
  ),
]

/** What an actor receives of an event about a transfer. */
export type TransferForm = 'full' | 'reduced' | null

/**
 * Returns what each actor receives of an event about a transfer, in the rights of now: who may list
 * it gets all of it; who could only before the change learns that it is gone.
 */
export function transferAudience(
  scope: FrameScope,
  event: LoggedEvent,
): (actor: Actor) => TransferForm {
  const { transferId, before } = event.payload as TransferEvent
  const row = findTransfer(scope, transferId)
  if (!row) return () => null
  const viewers = viewersOf(scope, row.contactId)
  const queue = row.agentId === null ? queueMembers(scope, row.teamId) : null
  const former = before && before.agentId === null ? queueMembers(scope, before.teamId) : null
  const isOfQueue = (actor: Actor, members: ReadonlySet<string> | 'general'): boolean =>
    members === 'general' || members.has(actor.userId ?? '')
  return (actor) => {
    if (!hasPermission(actor, 'transfers:read') || !hasPermission(actor, 'contacts:read'))
      return null
    const lists =
      hasPermission(actor, 'transfers:assign') ||
      (queue === null ? row.agentId === actor.userId : isOfQueue(actor, queue))
    if (lists && (seesAll(actor) || isAmong({ actor }, viewers))) return 'full'
    if (!before) return null
    const hadIt =
      former === null
        ? before.agentId === actor.userId
        : isOfQueue(actor, former) &&
          (former !== 'general' || seesAll(actor) || seesGeneralQueue({ actor }))
    return hadIt ? 'reduced' : null
  }
}

const queueMembers = (scope: FrameScope, teamId: string | null): ReadonlySet<string> | 'general' =>
  teamId === null ? 'general' : new Set(membersOf(scope, teamId).map(({ userId }) => userId))

/** Returns the frame for users who can no longer list a transfer. */
export function reducedTransfer(scope: FrameScope, event: LoggedEvent): Payload {
  const { transferId, reason } = event.payload as TransferEvent
  const row = findTransfer(scope, transferId)
  return row && { id: row.id, status: row.status, agent_id: row.agentId, reason }
}
