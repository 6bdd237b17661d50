import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../lib/fields'
import { UUID_PATTERN } from '../../../lib/ids'
import { TRANSFER_CHANGES, TRANSFER_SOURCES, transfers } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])
const timeOrNull = Type.Union([Time, Type.Null()])
const textOrNull = Type.Union([Type.String(), Type.Null()])
const Priority = Type.Integer({ minimum: 0, maximum: 9 })
const Notes = Type.Union([Type.String({ maxLength: 4_096 }), Type.Null()])

/** Schema of a team ID, or of the word for the general queue. */
const teamOrGeneral = (description?: string) =>
  Type.String({
    pattern: `^(general|${UUID_PATTERN})$`,
    ...(description === undefined ? {} : { description }),
  })

/** Query parameter that names a queue. */
export const TeamOrGeneral = teamOrGeneral('Team ID, or `general` for the general queue.')

const fields = {
  id: Uuid,
  contact_id: Uuid,
  contact_name: textOrNull,
  phone_number: textOrNull,
  account_id: Uuid,
  status: Type.String({ enum: transfers.status.enumValues }),
  source: Type.String({ enum: [...TRANSFER_SOURCES] }),
  priority: Priority,
  agent_id: Type.Union([Uuid, Type.Null()], { description: '`null` while it waits in a queue.' }),
  agent_name: textOrNull,
  team_id: Type.Union([Uuid, Type.Null()], { description: '`null` for the general queue.' }),
  team_name: textOrNull,
  transferred_by: uuidOrNull,
  transferred_by_name: textOrNull,
  notes: textOrNull,
  transferred_at: Time,
  picked_up_at: timeOrNull,
  first_response_at: Type.Union([Time, Type.Null()], {
    description: 'When a person first wrote to the customer since the transfer.',
  }),
  resumed_at: timeOrNull,
  resumed_by: uuidOrNull,
  resumed_by_name: textOrNull,
  sla_response_deadline: timeOrNull,
  sla_resolution_deadline: timeOrNull,
  sla_breached: Type.Boolean(),
  sla_breached_at: timeOrNull,
  escalation_level: Type.Integer(),
  escalated_at: timeOrNull,
  expires_at: Type.Union([Time, Type.Null()], {
    description: 'When it ends unless the customer writes. `null` while the customer waits.',
  }),
}

/** A transfer as the API answers it. */
export const TransferView = Type.Object(fields, { title: 'Transfer' })
export type TransferView = Static<typeof TransferView>

/** A transfer with its history. */
export const TransferDetails = Type.Object(
  {
    ...fields,
    history: Type.Array(
      Type.Object({
        at: Time,
        kind: Type.String({ enum: [...TRANSFER_CHANGES] }),
        by: uuidOrNull,
        by_name: textOrNull,
        agent_id: uuidOrNull,
        agent_name: textOrNull,
        team_id: uuidOrNull,
        team_name: textOrNull,
        details: Type.Record(Type.String(), Type.Unknown()),
      }),
      { description: 'Its changes, oldest first, up to 500.' },
    ),
  },
  { title: 'TransferDetails' },
)
export type TransferDetails = Static<typeof TransferDetails>

/** A page of transfers with the lengths of the queues that the caller sees. */
export const TransferList = Type.Object(
  {
    transfers: Type.Array(TransferView),
    total: Type.Union([Type.Integer(), Type.Null()]),
    page: Type.Union([Type.Integer(), Type.Null()]),
    limit: Type.Integer(),
    total_pages: Type.Union([Type.Integer(), Type.Null()]),
    next_cursor: Type.Union([Type.String(), Type.Null()]),
    general_queue_count: Type.Integer({ description: 'Waiting transfers in the general queue.' }),
    team_queue_counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'Waiting transfers of each team, by team ID. Teams without any are left out.',
    }),
  },
  { title: 'TransferList' },
)
export type TransferList = Static<typeof TransferList>

/** Who gets a conversation. */
export const NewOwner = Type.Object(
  {
    to: oneOf(['user', 'team', 'queue', 'nobody'], {
      description:
        '`queue` is the general queue. `nobody` unassigns; if the contact has a transfer, it waits in ' +
        'the general queue.',
    }),
    id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description: 'ID of an active member for `user`, of an active team for `team`.',
      }),
    ),
    note: Type.Optional(
      Type.Union([Type.String({ maxLength: 10_000 }), Type.Null()], {
        description: 'Becomes a note about the contact, which colleagues read in the thread.',
      }),
    ),
  },
  {
    title: 'OwnerInput',
    examples: [
      { to: 'team', id: '019a52b0-1c00-7000-8000-000000000005', note: 'Asks for a refund' },
    ],
  },
)
export type NewOwner = Static<typeof NewOwner>

/** Query of the list of transfers. */
export const transferFilters = {
  status: Type.Optional(oneOf(transfers.status.enumValues)),
  team_id: Type.Optional(TeamOrGeneral),
  agent_id: Type.Optional(
    Type.String({
      pattern: `^(me|none|${UUID_PATTERN})$`,
      description: 'User ID, `me`, or `none` for those that wait.',
    }),
  ),
  contact_id: Type.Optional(Uuid),
  sla: Type.Optional(
    oneOf(['breached', 'due'], {
      description:
        '`breached`: missed a deadline. `due`: active, with a deadline in the next 15 minutes.',
    }),
  ),
}

/** Body to transfer a contact. */
export const NewTransfer = Type.Object(
  {
    contact_id: Uuid,
    account_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description: 'Defaults to the phone number last used with the contact.',
      }),
    ),
    team_id: Type.Optional(
      Type.Union([teamOrGeneral(), Type.Null()], {
        description: 'Team ID. `general` or `null` = general queue.',
      }),
    ),
    agent_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], { description: 'The person who gets it.' }),
    ),
    notes: Type.Optional(Notes),
    priority: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 9, description: 'Higher ones are picked up first.' }),
    ),
  },
  {
    title: 'TransferInput',
    examples: [{ contact_id: '019a52b0-1c00-7000-8000-000000000004', notes: 'Asks for a refund' }],
  },
)
export type NewTransfer = Static<typeof NewTransfer>

/** A changed transfer and what happened. */
export const TransferAnswer = Type.Object(
  { transfer: TransferView, message: Type.String() },
  { title: 'TransferAnswer' },
)
export type TransferAnswer = Static<typeof TransferAnswer>

/** The transfer that was picked up, or `null` if none waits. */
export const PickedTransfer = Type.Object(
  { transfer: Type.Union([TransferView, Type.Null()]), message: Type.String() },
  { title: 'PickedTransfer' },
)

/** Changes to a transfer. Omitted fields stay unchanged. */
export const TransferChange = Type.Object(
  { notes: Type.Optional(Notes), priority: Type.Optional(Priority) },
  { title: 'TransferChange', minProperties: 1, examples: [{ priority: 5 }] },
)
export type TransferChange = Static<typeof TransferChange>

/** Body to assign a transfer. At least one of the two fields is required. */
export const TransferAssignment = Type.Object(
  {
    agent_id: Type.Optional(
      Type.Union([Uuid, Type.Null()], { description: '`null` = back to the queue.' }),
    ),
    team_id: Type.Optional(
      Type.Union([teamOrGeneral(), Type.Null()], {
        description: '`general` or `null` = general queue. Omitted = its present queue.',
      }),
    ),
  },
  { title: 'TransferAssignment', minProperties: 1, examples: [{ agent_id: null }] },
)
export type TransferAssignment = Static<typeof TransferAssignment>

/** Body to end a transfer. */
export const Resume = Type.Object(
  { notes: Type.Optional(Notes) },
  { title: 'ResumeTransfer', examples: [{ notes: 'Refund granted' }] },
)
