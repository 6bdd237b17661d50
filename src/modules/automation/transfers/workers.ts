import { SECOND_MS } from '../../../lib/clock'
import { defineSchedule } from '../../../infra/jobs/define-schedule'
import { enqueue } from '../../../infra/jobs/enqueue'
import { workInTransaction } from '../../../infra/jobs/work'
import { checkRightsIn, checkRoleIn } from './change-rights'
import { endForAccountIn } from './end-for-account'
import {
  CheckRights,
  CheckRole,
  EndForAccount,
  LeaveAgent,
  LeaveTeam,
  OfferEverywhere,
  OfferToPerson,
  OfferWaiting,
  RunDueTransfers,
} from './jobs'
import { leaveAgentIn } from './leave-agent'
import { leaveClosedTeamIn } from './leave-team'
import { offerEverywhereIn, offerTeamIn, offerToIn } from './offer'
import { runDueIn } from './sweep'

export const transferWorkers = [
  workInTransaction(OfferWaiting, (tx, ctx, queue) => offerTeamIn(tx, ctx, queue), {
    isKept: false,
  }),
  workInTransaction(OfferToPerson, (tx, ctx, { userId }) => offerToIn(tx, ctx, userId), {
    isKept: false,
  }),
  workInTransaction(
    OfferEverywhere,
    (tx, ctx, { afterTeamId }) => offerEverywhereIn(tx, ctx, afterTeamId),
    { isKept: false },
  ),
  workInTransaction(LeaveAgent, (tx, ctx, leaving) => void leaveAgentIn(tx, ctx, leaving), {
    isKept: false,
  }),
  workInTransaction(CheckRights, checkRightsIn, { isKept: false }),
  workInTransaction(CheckRole, checkRoleIn, { isKept: false }),
  workInTransaction(EndForAccount, endForAccountIn, { isKept: false }),
  workInTransaction(LeaveTeam, leaveClosedTeamIn, { isKept: false }),
  workInTransaction(
    RunDueTransfers,
    (tx, ctx) => {
      if (runDueIn(tx, ctx)) enqueue(tx, ctx, RunDueTransfers, { args: {} })
    },
    { isKept: false },
  ),
]

/** How often deadlines are looked at. */
const RUN_EVERY_MS = 15 * SECOND_MS

export const transferSchedules = [defineSchedule(RUN_EVERY_MS, RunDueTransfers)]
