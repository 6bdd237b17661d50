import { Type, type Static } from '@sinclair/typebox'

import { contactSelection } from '../contacts/list/list-query'
import { ContactView } from '../contacts/model'

const Uuid = Type.String({ format: 'uuid' })

/** The contact to merge into another one. */
export const MergeRequest = Type.Object(
  {
    source_id: Type.String({
      format: 'uuid',
      description: 'Contact to merge into the one in the path.',
    }),
  },
  { title: 'MergeRequest', examples: [{ source_id: '019a52b0-1c00-7000-8000-000000000002' }] },
)

/** The merged contact, and the merge ID that can be used to undo the merge for 30 days. */
export const Merged = Type.Object({ contact: ContactView, merge_id: Uuid }, { title: 'Merged' })
export type Merged = Static<typeof Merged>

/** Both contacts after an undone merge, the merge target first. */
export const Unmerged = Type.Object(
  { contacts: Type.Array(ContactView, { minItems: 2, maxItems: 2 }) },
  { title: 'Unmerged' },
)
export type Unmerged = Static<typeof Unmerged>

/** Actions of a bulk change. */
export const BULK_ACTIONS = [
  'add_tags',
  'remove_tags',
  'assign',
  'set_attribute',
  'opt_in',
  'opt_out',
  'block',
  'unblock',
  'delete',
] as const
export type BulkAction = (typeof BULK_ACTIONS)[number]

/** The member and the team that a bulk change assigns; omitted ones stay as they are. */
export const AssignmentValue = Type.Object(
  {
    user_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
    team_id: Type.Optional(Type.Union([Uuid, Type.Null()])),
  },
  { minProperties: 1, additionalProperties: false },
)

/** A bulk change of contacts. */
export const BulkRequest = Type.Object(
  {
    contact_ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: 1000,
        description: 'Contacts by ID; without `segment_id`, `filter` and `search`.',
      }),
    ),
    segment_id: contactSelection.segment_id,
    filter: contactSelection.filter,
    search: contactSelection.search,
    expected_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Number of contacts that the caller expects `segment_id`, `filter` and `search` to match, ' +
          'or of all contacts without them. Required with `filter` and `search`, and for all. Fails ' +
          'with 409 `count_changed` if it differs.',
      }),
    ),
    action: Type.Union(
      BULK_ACTIONS.map((action) => Type.Literal(action)),
      {
        description:
          '`delete` also requires `contacts:delete`, `assign` requires `transfers:assign`.',
      },
    ),
    value: Type.Optional(
      Type.Unknown({
        description:
          'For `add_tags` and `remove_tags`: tag names or IDs. For `assign`: a user ID, ' +
          '`null`, or `{user_id, team_id}`. For `set_attribute`: `{key, value}`; `null` removes the value. For `opt_in` ' +
          'and `opt_out`: evidence, which an opt-in requires. For the others: nothing.',
      }),
    ),
  },
  {
    title: 'BulkRequest',
    examples: [
      { contact_ids: ['019a52b0-1c00-7000-8000-000000000001'], action: 'add_tags', value: ['VIP'] },
    ],
  },
)
export type BulkRequest = Static<typeof BulkRequest>
