import { Type, type TProperties } from '@sinclair/typebox'

import { UUID_PATTERN } from '../../../../../lib/ids'
import { withVariants } from '../../../../../lib/variants'

const Text = Type.String()
const Uuid = Type.String({ format: 'uuid' })
const uuidOrNull = Type.Union([Uuid, Type.Null()])

/** A number of the event log. */
export const Seq = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })

const MAX_TOPICS = 50
const Topics = Type.Array(
  Type.String({
    pattern: `^((contact|campaign|delivery):${UUID_PATTERN}|dashboard|board|webhooks(:[a-z_]+[.]([a-z_]+|[*]))?|server)$`,
    description:
      '`contact:<id>` adds messages of campaigns to the contact, `campaign:<id>` the statuses of ' +
      'the messages of a campaign, `delivery:<id>` frames `delivery:updated` about a delivery of a ' +
      'webhook, `dashboard` frames `analytics:dashboard`, `board` frames `team:board`, `webhooks` ' +
      'frames `webhook:event` of all events, `webhooks:message.*` and `webhooks:message.received` those ' +
      'of some, and `server` frames `server:attention`.',
  }),
  { minItems: 1, maxItems: MAX_TOPICS },
)

/** The payloads of client frames, by type. */
export const CLIENT_PAYLOADS = {
  ping: Type.Object({}),
  hello: Type.Object({}),
  resume: Type.Object({
    since: Seq,
    log: Type.Optional(uuidOrNull),
  }),
  subscribe: Type.Object({ topics: Topics }),
  unsubscribe: Type.Object({ topics: Topics }),
  auth: Type.Object({ token: Type.String({ description: 'An access token.' }) }),
  read: Type.Object(
    { conversation_id: Uuid, up_to: Uuid },
    { description: 'Like `POST /api/conversations/{id}/read`. Has no answer.' },
  ),
  presence: Type.Object(
    {
      conversation_id: Uuid,
      doing: Type.Union([Type.Literal('viewing'), Type.Literal('typing'), Type.Literal('gone')]),
    },
    { description: 'What the user does. Lapses after 30 seconds. Has no answer.' },
  ),
} as const

const isOptional = (type: string): boolean => type === 'ping' || type === 'hello'

/** A frame that a client sends. */
export const ClientFrame = withVariants(
  Type.Object(
    {
      type: Text,
      id: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Returned as `reply_to` in the response frame.',
        }),
      ),
    },
    { title: 'ClientFrame' },
  ),
  'type',
  Object.fromEntries(
    Object.entries(CLIENT_PAYLOADS).map(([type, payload]): [string, TProperties] => [
      type,
      { payload: isOptional(type) ? Type.Optional(payload) : payload },
    ]),
  ),
)
