import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Value } from '@sinclair/typebox/value'

import { createApp } from '../../src/app'
import type { OpenApiDocument } from '../../src/http/openapi/document'
import { WEBHOOK_EVENTS } from '../../src/modules/delivery/realtime/webhook-events'
import { exampleBody } from '../../src/modules/delivery/webhooks/events/examples'
import { signWebhook } from '../../src/lib/standard-webhook'
import { eventSchema } from '../../src/modules/delivery/webhooks/events/schemas'
import type { Loose } from '../support/client'
import { resolve } from '../support/openapi'
import { World } from '../support/world'

const TYPES = WEBHOOK_EVENTS.map(({ value }) => value)

let world: World
let document: OpenApiDocument

beforeAll(async () => {
  world = await World.create({ isConnected: false, tenants: 1 })
  document = await createApp(world.program).describe()
})

afterAll(() => world.stop())

/** The request body of an event type in the document. */
const bodyOf = (type: string): Loose =>
  (document.webhooks as Loose)[type]['post']['requestBody']['content']['application/json'] as Loose

/** Names of the fields that an object of this schema may have. */
function fieldsOf(schema: Loose): string[] {
  const { properties, allOf, oneOf } = resolve(document, schema)
  return [
    ...Object.keys((properties ?? {}) as object),
    ...[allOf, oneOf].flatMap((parts) => ((parts ?? []) as Loose[]).flatMap(fieldsOf)),
  ]
}

test('the document has every event type of the catalog, and nothing else', () => {
  expect(Object.keys(document.webhooks ?? {})).toEqual(TYPES)
  expect(new Set(TYPES.map((type) => bodyOf(type)['schema']['$ref'])).size).toBe(TYPES.length)
})

test('each event names the headers of its request, with the test vector of the signature', () => {
  const headers = TYPES.map(
    (type) => (document.webhooks as Loose)[type]['post']['parameters'] as Loose[],
  )
  for (const parameters of headers)
    expect(parameters.map(({ name }) => name as string)).toEqual([
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
      'webhook-attempt',
    ])
  const about = String(headers[0]?.[2]?.['description'])
  const quoted = [...about.matchAll(/`([^`]+)`/g)].map(([, text]) => text ?? '')
  const [secret = '', id = '', at, body = '', signature] = quoted.slice(-5)
  expect(signWebhook(secret, { id, timestampS: Number(at), body })).toBe(String(signature))
})

describe.each(TYPES)('the documented event %s', (type) => {
  test('has the example that an endpoint received, which fits its schema', () => {
    const example = exampleBody(type)
    expect(bodyOf(type)['example']).toEqual(example)
    expect([...Value.Errors(eventSchema(type), example)]).toEqual([])
    expect(Value.Check(eventSchema(type), { ...example, type: 'another' })).toBe(false)
  })

  test('names every field of its data', () => {
    const known = fieldsOf(resolve(document, bodyOf(type)['schema'])['properties']['data'] as Loose)
    const shown = Object.keys(exampleBody(type)?.data ?? {})
    expect(shown.filter((field) => !known.includes(field))).toEqual([])
    expect(shown.length).toBeGreaterThan(0)
  })
})
