import { Type, type Static } from '@sinclair/typebox'

import { job, type Queue } from '../../../infra/jobs/job'
import { AccountChanged } from '../accounts/events'
import { ContactErased } from '../../inbox/contacts/events'
import { ReplayRequest } from './model'

export type InboundQueue = Extract<Queue, `inbound${string}`>

const OneChange = Type.Object({
  eventId: Type.String(),
  from: Type.Integer({ minimum: 0 }),
  /** Whether it is a replay. */
  isReplay: Type.Optional(Type.Boolean()),
})

/** Processes one journaled change of messages, a batch at a time. */
const ProcessChange = job('inbound.process', OneChange, { queue: 'inbound' })

/** Processes one journaled change that holds only statuses. */
const ProcessStatusChange = job('inbound.process-status', OneChange, { queue: 'inbound-status' })

/** Processes one journaled change of a business account or phone number. */
const ProcessAccountChange = job('inbound.process-account', OneChange, {
  queue: 'inbound-account',
})

/** The job that processes a change, by the queue the change belongs to. */
export const PROCESS_JOBS = {
  inbound: ProcessChange,
  'inbound-status': ProcessStatusChange,
  'inbound-account': ProcessAccountChange,
} as const satisfies Record<InboundQueue, unknown>

/** Stores the changes of a large delivery as rows, one part per run. */
export const StoreBatchPart = job(
  'inbound.store-part',
  Type.Object({
    digest: Type.String(),
    signedBy: Type.String(),
    cell: Type.String(),
    part: Type.Integer({ minimum: 1 }),
  }),
  { queue: 'inbound' },
)

/** The changes of a body to pass on, and the cell. */
const Passing = Type.Object({
  bodyId: Type.Integer(),
  cell: Type.String(),
  /** Positions of the changes that nobody has here, and of those that others may have as well. */
  unknown: Type.Array(Type.String()),
  shared: Type.Array(Type.String()),
})
export type Passing = Static<typeof Passing>

/** Passes changes of a stored body on to another cell. */
export const PassOn = job('inbound.pass-on', Passing, { queue: 'cells' })

/** Passes the failed changes of an organization that has moved on to its cell, a batch at a time. */
export const PassFailedOn = job(
  'inbound.pass-failed-on',
  Type.Object({ organizationId: Type.String(), cell: Type.String(), after: Type.String() }),
  { queue: 'cells' },
)

/**
 * Processes the changes of the day before a phone number was connected, and those of its business
 * account from before the link was proven.
 */
export const AssignUnrouted = job(
  'inbound.assign-unrouted',
  Type.Composite([
    AccountChanged.payload,
    Type.Object({
      /** The last change of the business account that was processed. */
      after: Type.Optional(
        Type.Union([
          Type.Object({ receivedAtMs: Type.Integer(), id: Type.String() }),
          Type.Undefined(),
        ]),
      ),
    }),
  ]),
  { queue: 'default' },
)

/** Replays the changes a super admin selected, a batch at a time. */
export const ReplayChanges = job(
  'inbound.replay',
  Type.Object({ request: ReplayRequest, after: Type.Union([Type.String(), Type.Null()]) }),
  { queue: 'default' },
)

/** Removes an erased person from the stored deliveries, a batch of changes at a time. */
export const ErasePersonInJournal = job(
  'inbound.erase-person',
  Type.Composite([
    ContactErased.payload,
    Type.Object({
      after: Type.Optional(
        Type.Union([
          Type.Object({
            receivedAtMs: Type.Integer(),
            id: Type.String(),
            isOfNobody: Type.Optional(Type.Boolean()),
          }),
          Type.Undefined(),
        ]),
      ),
    }),
  ]),
  { queue: 'default' },
)
