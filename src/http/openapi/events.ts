import { cleanSchema } from './schema'

/** A request that the server sends to endpoints of its users. */
export interface DescribedEvent {
  type: string
  label: string
  description: string
  schema: unknown
  example: unknown
}

/** The tag of these requests. A generator makes a file for each tag of operations and of events. */
const TAG = 'Webhook events'

const RESPONSES = {
  '2XX': { description: 'The event was received. Any other status means that it is sent again.' },
}

const header = (name: string, type: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  schema: { type },
  description,
})

/** The headers of these requests (Standard Webhooks). Generators do not follow references here. */
const HEADERS = [
  header(
    'webhook-id',
    'string',
    'ID of the event for this endpoint. The same for retries and when it is sent again: drop repeats by it.',
  ),
  header('webhook-timestamp', 'integer', 'Unix seconds of this attempt.'),
  header(
    'webhook-signature',
    'string',
    '`v1,` and the base64 form of HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<body>`. The key is ' +
      'the base64-decoded part of the secret after `whsec_`. While two secrets are valid there are two ' +
      'signatures, separated by a space. Example: with the secret `whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw`, ' +
      'the ID `msg_p5jXN8AQM9LWM0D4loKWxJek`, the timestamp `1614265330` and the body ' +
      '`{"test": 2432232314}` it is `v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=`.',
  ),
  header('webhook-attempt', 'integer', 'Number of the attempt, from 1.'),
]

const operationIdOf = (type: string): string =>
  `receive${type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())}`

/** Returns the `webhooks` of an OpenAPI 3.1 document: one operation for each type of event. */
export const webhooksOf = (events: DescribedEvent[]): Record<string, unknown> =>
  Object.fromEntries(
    events.map(({ type, label, description, schema, example }) => [
      type,
      {
        post: {
          operationId: operationIdOf(type),
          tags: [TAG],
          summary: label,
          description,
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: cleanSchema(schema), example } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
