import { Type, type Static } from '@sinclair/typebox'

import { freeObject } from '../../../../../lib/fields'

const Uuid = Type.String({ format: 'uuid' })
const MAX_TAGS_AT_ONCE = 50
const TagWords = Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
  minItems: 1,
  maxItems: MAX_TAGS_AT_ONCE,
  description: 'Tag names or IDs, of the contacts of the conversations.',
})

/** What a bulk change sets; omitted fields stay as they are. */
const BulkSet = Type.Object(
  {
    state: Type.Optional(
      Type.Union([Type.Literal('open'), Type.Literal('pending'), Type.Literal('closed')]),
    ),
    assigned_to: Type.Optional(
      Type.Union([Uuid, Type.Null()], {
        description: 'User ID of an active member; `null` unassigns. Requires `transfers:assign`.',
      }),
    ),
    snoozed_until: Type.Optional(
      Type.Union([Type.String({ format: 'date-time' }), Type.Literal('reply')], {
        description:
          'A time up to 90 days in the future, or `reply`: until the customer writes. Not ' +
          'together with `state`.',
      }),
    ),
    priority: Type.Optional(
      Type.Union([
        Type.Literal('low'),
        Type.Literal('normal'),
        Type.Literal('high'),
        Type.Literal('urgent'),
      ]),
    ),
    tags_add: Type.Optional(TagWords),
    tags_remove: Type.Optional(TagWords),
    read: Type.Optional(Type.Boolean({ description: '`false` marks as unread.' })),
  },
  { minProperties: 1 },
)

/** A bulk change of conversations. */
export const ConversationBulk = Type.Object(
  {
    ids: Type.Optional(
      Type.Array(Uuid, {
        minItems: 1,
        maxItems: 500,
        description: 'Required unless `filter` is sent.',
      }),
    ),
    filter: Type.Optional(
      freeObject({
        description:
          'Filters of the list of conversations by name, with booleans as such. An unknown one is ' +
          'refused, so that a misspelled filter does not match everything.',
      }),
    ),
    expected_count: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Required with `filter`: how many conversations it is expected to match, at most 10,000.',
      }),
    ),
    set: BulkSet,
  },
  {
    title: 'ConversationBulk',
    examples: [{ ids: ['019a52b0-1c00-7000-8000-000000000003'], set: { state: 'closed' } }],
  },
)
export type ConversationBulk = Static<typeof ConversationBulk>
