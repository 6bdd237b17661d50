import type { Call, Order } from '../api/shapes'
import type { Effect, Payload } from './effect'
import { MESSAGE_EFFECTS } from './patch-messages'
import { invalidateSoon, refreshRowsSoon } from './refresh'
import { changeRow } from './rows'

/** The facts of an event that a list has, too; it names the contact in its own way. */
const factsOf = ({
  changed: _changed,
  contact: _contact,
  truncated: _cut,
  ...facts
}: Payload): Payload => facts

const onOrder: Effect = (client, payload) => {
  changeRow(client, 'GET /api/orders', String(payload['id']), (known) => ({
    ...known,
    ...(factsOf(payload) as Partial<Order>), // the event has the names of the order's fields
  }))
  for (const route of ['GET /api/orders', 'GET /api/orders/{id}']) invalidateSoon(client, route)
  refreshRowsSoon(client, 'GET /api/orders')
}

const onCall: Effect = (client, payload) => {
  MESSAGE_EFFECTS['call:updated']?.(client, payload)
  changeRow(client, 'GET /api/calls', String(payload['id']), (known) => ({
    ...known,
    ...(factsOf(payload) as Partial<Call>), // the event has the names of the call's fields
  }))
  invalidateSoon(client, 'GET /api/calls')
  refreshRowsSoon(client, 'GET /api/calls')
}

const onScheduled: Effect = (client) => {
  invalidateSoon(client, 'GET /api/scheduled-messages')
  refreshRowsSoon(client, 'GET /api/scheduled-messages')
}

const onForm: Effect = (client) => {
  for (const route of ['GET /api/flows', 'GET /api/flows/{id}']) invalidateSoon(client, route)
  refreshRowsSoon(client, 'GET /api/flows')
}

/** Effects of events about forms, orders, calls and scheduled messages. */
export const RECORD_EFFECTS: Record<string, Effect> = {
  'flow:updated': onForm,
  'order:updated': onOrder,
  'call:updated': onCall,
  'scheduled:updated': onScheduled,
}
