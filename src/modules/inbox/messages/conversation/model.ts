import { Type, type Static } from '@sinclair/typebox'

const SendReceipt = Type.Optional(
  Type.Boolean({
    description:
      "Whether to send a read receipt to the customer. Defaults to the number's " +
      '`auto_read_receipt`.',
  }),
)

/** Body of marking a conversation as read; all of it by default. */
export const ReadUpTo = Type.Object(
  {
    up_to: Type.Optional(
      Type.String({
        format: 'uuid',
        description:
          'Message of this conversation up to which to mark as read. Defaults to the latest.',
      }),
    ),
    send_receipt: SendReceipt,
  },
  { title: 'ReadUpTo', examples: [{ send_receipt: false }] },
)
export type ReadUpTo = Static<typeof ReadUpTo>

/** Body of marking a contact's conversations as read; all by default. */
export const ReadContact = Type.Object(
  {
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Only the conversation with this phone number.',
      }),
    ),
    send_receipt: SendReceipt,
  },
  { title: 'ReadContact', examples: [{ send_receipt: false }] },
)
export type ReadContact = Static<typeof ReadContact>

/** Number of unread messages. */
export const UnreadCount = Type.Object({ unread_count: Type.Integer() }, { title: 'UnreadCount' })
export type UnreadCount = Static<typeof UnreadCount>
