import { WEBHOOK_EVENTS } from '../../realtime/webhook-events'
import { exampleBody } from './examples'
import { eventSchema } from './schemas'

/** Returns the requests that the server sends to endpoints, for the API document. */
export const describedEvents = () =>
  WEBHOOK_EVENTS.map(({ value, label, description }) => ({
    type: value,
    label,
    description,
    schema: eventSchema(value),
    example: exampleBody(value),
  }))
