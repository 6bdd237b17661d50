import { workInTransaction } from '../../infra/jobs/work'
import { LeaveTeam, OfferWaiting } from './jobs'
import { leaveClosedTeamIn } from './leave-team'
import { offerTeamIn } from './offer'

export const transferWorkers = [
  workInTransaction(OfferWaiting, (tx, ctx, { teamId }) => offerTeamIn(tx, ctx, teamId), {
    isKept: false,
  }),
  workInTransaction(LeaveTeam, leaveClosedTeamIn, { isKept: false }),
]
