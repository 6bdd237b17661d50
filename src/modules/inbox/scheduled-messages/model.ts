import { Type, type Static } from '@sinclair/typebox'

import { objectOfOptions } from '../../../lib/fields'
import { ListedContact } from '../contacts/listed'
import { NewMessage } from '../messages/compose/model'
import { templateMessage } from '../messages/compose/template/model'
import { SCHEDULED_STATES } from './table'

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const textOrNull = Type.Union([Type.String(), Type.Null()])
const Stored = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description })

/** A scheduled message in API responses. */
export const ScheduledMessage = Type.Object(
  {
    id: Uuid,
    contact_id: Uuid,
    contact: ListedContact,
    account_id: Type.String({ format: 'uuid', description: 'The phone number it is sent from.' }),
    message: Stored('The message, as in the body of a send.'),
    send_at: Time,
    cancel_on_reply: Type.Boolean(),
    fallback_template: Type.Union([
      Stored('The template that is sent if the 24-hour window is closed by then.'),
      Type.Null(),
    ]),
    state: Type.String({
      enum: [...SCHEDULED_STATES],
      description:
        '`sent`: the message was created; whether it was delivered is the `status` of the message.',
    }),
    message_id: Type.Union([Uuid, Type.Null()], { description: 'The message that was sent.' }),
    fallback_sent: Type.Boolean({
      description: 'Whether `fallback_template` was sent instead of the message.',
    }),
    error: Type.Union(
      [
        Type.Object({
          code: Type.String({
            description:
              'An error code of sending, or `missed`, `account_deleted`, `contact_deleted`, ' +
              '`outcome_unknown`.',
          }),
          message: Type.String(),
        }),
        Type.Null(),
      ],
      { description: 'Why it was not sent.' },
    ),
    created_by: Type.Union([Type.Object({ id: Uuid, name: textOrNull }), Type.Null()], {
      description: 'The person who wrote it, or the owner of the API key that did.',
    }),
    created_at: Time,
    updated_at: Time,
    ended_at: Type.Union([Time, Type.Null()], {
      description: 'When it was sent or cancelled, or failed. Deleted 7 days later.',
    }),
  },
  { title: 'ScheduledMessage' },
)
export type ScheduledMessage = Static<typeof ScheduledMessage>

export const FallbackTemplate = objectOfOptions(templateMessage, 'must be an object or null', {
  title: 'FallbackTemplate',
  description:
    'Template to send if the 24-hour window is closed by then: the template fields of a send. ' +
    'Without it, the message fails then. Not for messages that are templates.',
})

const fields = {
  message: NewMessage,
  send_at: Type.String({
    format: 'date-time',
    description: 'When to send it: in one minute to 30 days.',
  }),
  cancel_on_reply: Type.Boolean({
    description:
      'Whether the customer cancels it by writing to the same phone number before. Defaults to ' +
      '`false`.',
  }),
  fallback_template: Type.Union([FallbackTemplate, Type.Null()]),
}

export const NewScheduledMessage = Type.Object(
  {
    contact_id: Uuid,
    account_id: Type.Optional(
      Type.String({
        format: 'uuid',
        description: 'Phone number to send from. Chosen as for a message if omitted.',
      }),
    ),
    message: fields.message,
    send_at: fields.send_at,
    cancel_on_reply: Type.Optional(fields.cancel_on_reply),
    fallback_template: Type.Optional(fields.fallback_template),
  },
  {
    title: 'ScheduledMessageInput',
    examples: [
      {
        contact_id: '019a52b0-1c00-7000-8000-000000000004',
        message: { type: 'text', text: 'Good morning! Your order is ready.' },
        send_at: '2026-11-22T08:00:00.000Z',
        cancel_on_reply: true,
      },
    ],
  },
)
export type NewScheduledMessage = Static<typeof NewScheduledMessage>

/** Changes to a scheduled message. Omitted fields stay as they are. */
export const ScheduledMessageChanges = Type.Partial(Type.Object(fields), {
  title: 'ScheduledMessageChanges',
  minProperties: 1,
  examples: [{ send_at: '2026-11-22T09:00:00.000Z' }],
})
export type ScheduledMessageChanges = Static<typeof ScheduledMessageChanges>
