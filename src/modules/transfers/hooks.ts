import { onHook } from '../../infra/transaction-hooks'
import { MemberAvailable, MemberUnavailable } from '../members/events'
import { TeamChanged, TeamClosed } from '../teams/events'
import { transfersOf } from './find'
import { moveTransferIn } from './move'
import { offerAfterIn, offerTeamIn } from './offer'
import { leaveClosedTeamIn } from './leave-team'

/** What other modules do that changes transfers, in the same transaction. */
export const transferHooks = [
  onHook(MemberUnavailable, (tx, ctx, member) => {
    for (const row of transfersOf(ctx, member.userId)) {
      moveTransferIn(tx, ctx, row, {
        agentId: null,
        teamId: row.teamId,
        kind: 'returned',
        reason: 'agent_unavailable',
      })
      member.transfersReturned += 1
    }
  }),

  onHook(MemberAvailable, (tx, ctx, { userId }) => offerAfterIn(tx, ctx, userId)),
  onHook(TeamChanged, (tx, ctx, { teamId }) => offerTeamIn(tx, ctx, teamId)),
  onHook(TeamClosed, (tx, ctx, { teamId, isDeleted }) =>
    leaveClosedTeamIn(tx, ctx, { teamId, isDeleted }),
  ),
]
