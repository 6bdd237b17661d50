import { Type, type Static } from '@sinclair/typebox'

const SendReceipt = Type.Optional(
  Type.Boolean({
    description:
      "Whether the customer is told; by default the number's `auto_read_receipt` decides.",
  }),
)

/** Up to where a conversation was read; without a body all of it. */
export const ReadUpTo = Type.Object(
  {
    up_to: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'A message of this conversation; by default the newest.',
      }),
    ),
    send_receipt: SendReceipt,
  },
  { title: 'ReadUpTo', examples: [{ send_receipt: false }] },
)
export type ReadUpTo = Static<typeof ReadUpTo>

/** Which conversations of a contact were read; without a body all of them. */
export const ReadContact = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only the conversation with this number of ours.',
      }),
    ),
    send_receipt: SendReceipt,
  },
  { title: 'ReadContact', examples: [{ send_receipt: false }] },
)
export type ReadContact = Static<typeof ReadContact>

/** How many messages are still unread. */
export const UnreadCount = Type.Object({ unread_count: Type.Integer() }, { title: 'UnreadCount' })
export type UnreadCount = Static<typeof UnreadCount>
