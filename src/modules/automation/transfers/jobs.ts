import { Type } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { PermissionsChanged } from '../../organization/memberships/events'

/** Offers further waiting transfers of a team to its members. */
export const OfferWaiting = job(
  'transfer.offer',
  Type.Object({ teamId: Type.String(), skip: Type.Optional(Type.Integer()) }),
  { queue: 'default' },
)

/** Offers what waits to a person who may have room for it now. */
export const OfferToPerson = job(
  'transfer.offer-to-person',
  Type.Object({ userId: Type.String() }),
  { queue: 'default' },
)

/** Offers what waits in the queues of all teams, beginning after a team by its ID. */
export const OfferEverywhere = job(
  'transfer.offer-everywhere',
  Type.Object({ afterTeamId: Type.String() }),
  { queue: 'default' },
)

/** Moves further transfers of a closed team to the general queue. */
export const LeaveTeam = job(
  'transfer.leave-team',
  Type.Object({ teamId: Type.String(), isDeleted: Type.Boolean() }),
  { queue: 'default' },
)

/** Returns further transfers of a person who accepts none any more to their queues. */
export const LeaveAgent = job(
  'transfer.leave-agent',
  Type.Object({ userId: Type.String(), untilMs: Type.Integer() }),
  { queue: 'default' },
)

/** Returns transfers of a person whose role suffices no longer, or offers some to them. */
export const CheckRights = job('transfer.check-rights', PermissionsChanged.payload, {
  queue: 'default',
})

/** Does the same for the members of a role whose permissions changed. */
export const CheckRole = job(
  'transfer.check-role',
  Type.Object({ roleId: Type.String(), afterUserId: Type.Optional(Type.String()) }),
  { queue: 'default' },
)

/** Ends the active transfers of a disconnected phone number. */
export const EndForAccount = job(
  'transfer.end-for-account',
  Type.Object({ accountId: Type.String() }),
  { queue: 'default' },
)

/** Does what is due on transfers: escalations, reminders, expiry and missed deadlines. */
export const RunDueTransfers = job('transfer.run-due', Type.Object({}), { queue: 'default' })
