import { cleanSchema } from './clean-schema'

/** A request that the server sends to endpoints of its users. */
export interface DescribedEvent {
  type: string
  label: string
  description: string
  schema: unknown
  example: unknown
}

/** The tag of these requests and of the operations about endpoints. */
const TAG = 'Webhooks'

const RESPONSES = {
  '2XX': { description: 'The event was received. Any other status means that it is sent again.' },
}

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
          requestBody: {
            required: true,
            content: { 'application/json': { schema: cleanSchema(schema), example } },
          },
          responses: RESPONSES,
        },
      },
    ]),
  )
