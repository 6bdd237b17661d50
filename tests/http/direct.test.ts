import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { textMessage } from '../simulator/payloads'
import { platformJson, signatureOf } from '../simulator/signing'
import { APP_SECRET, World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({
    env: { CORS_ORIGINS: 'https://desk.example.com', BASE_URL: 'https://chat.example.com' },
  })
})

afterAll(() => world.stop())

/**
 * What an answer says, and what the log says of it, without what differs from request to request.
 */
async function answerOf(path: string, request: RequestInit): Promise<unknown> {
  const before = world.logLines.length
  const response = await fetch(world.url + path, { method: 'POST', ...request })
  const { date: _date, 'x-request-id': id, ...headers } = Object.fromEntries(response.headers)
  const text = await response.text()
  const lines = (): string[] =>
    world.logLines.slice(before).filter((line) => line.includes(`"${id}"`))
  await world.eventually(() => lines().length > 0)
  const told = lines().map((line) => {
    const {
      time: _time,
      duration_ms: duration,
      request_id: _id,
      ...facts
    } = JSON.parse(line) as Record<string, unknown>
    return { ...facts, isTimed: typeof duration === 'number' }
  })
  return {
    status: response.status,
    headers,
    body: text.replaceAll(String(id), 'ID'),
    hasId: id !== undefined && id !== null,
    told,
  }
}

let nth = 0

/** A delivery nobody has seen yet. */
function delivery(): string {
  const line = {
    phoneNumberId: world.tenant.phoneId,
    wabaId: world.tenant.wabaId,
    displayPhoneNumber: '15550100001',
  }
  const person = { waId: '15560001111', userId: 'US.81', name: 'Customer' }
  return platformJson(
    textMessage('Hello', {
      line,
      person,
      id: `wamid.direct.${(nth += 1)}`,
      timestamp: world.clock.nowMs() / 1_000,
    }),
  )
}

const signed = (body: string, more: Record<string, string> = {}): RequestInit => ({
  body,
  headers: {
    'content-type': 'application/json',
    'x-hub-signature-256': signatureOf(APP_SECRET, body),
    ...more,
  },
})

describe('a delivery is answered without the framework as with it', () => {
  const requests: [string, () => RequestInit][] = [
    ['a good one', () => signed(delivery())],
    ['one with an id', () => signed(delivery(), { 'x-request-id': 'given-by-the-caller' })],
    ['without a signature', () => ({ body: delivery() })],
    ['with the signature of another', () => ({ ...signed(delivery()), body: delivery() })],
    ['encoded', () => signed(delivery(), { 'content-encoding': 'br' })],
    ['no JSON', () => signed('none')],
    ['without a body', () => ({})],
    ['too large', () => signed(' '.repeat(world.config.webhookBodyLimitBytes + 1))],
  ]
  for (const [name, request] of requests)
    test(name, async () => {
      // With a slash at its end the path is the same to everybody but the runtime's own router.
      const direct = await answerOf('/api/webhook', request())
      expect(direct).toEqual(await answerOf('/api/webhook/', request()))
    })
})

test('pages of other origins get the headers they need here too', async () => {
  const { headers, status } = await fetch(`${world.url}/api/webhook`, {
    method: 'POST',
    ...signed(delivery(), { origin: 'https://desk.example.com' }),
  })
  expect(status).toBe(200)
  expect(headers.get('access-control-allow-origin')).toBe('https://desk.example.com')
})
