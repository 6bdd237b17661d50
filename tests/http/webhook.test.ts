import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { textMessage } from '../../src/simulator/payloads'
import { platformJson, signatureOf } from '../../src/simulator/signing'
import { APP_SECRET, World } from '../support/world'

let world: World

beforeAll(async () => {
  world = await World.create({
    env: { CORS_ORIGINS: 'https://desk.example.com', BASE_URL: 'https://chat.example.com' },
  })
})

afterAll(() => world.stop())

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

describe('a webhook delivery', () => {
  const requests: [string, () => RequestInit, status: number][] = [
    ['is acknowledged when it is signed', () => signed(delivery()), 200],
    ['is refused without a signature', () => ({ body: delivery() }), 401],
    [
      'is refused with the signature of another',
      () => ({ ...signed(delivery()), body: delivery() }),
      401,
    ],
    ['is refused when it is encoded', () => signed(delivery(), { 'content-encoding': 'br' }), 400],
    ['is refused when it is no JSON', () => signed('none'), 400],
    ['is refused without a body', () => ({}), 401],
    [
      'is refused when it is too large',
      () => signed(' '.repeat(world.config.webhookBodyLimitBytes + 1)),
      413,
    ],
  ]
  for (const [name, request, status] of requests)
    test(name, async () => {
      const response = await fetch(`${world.url}/api/webhook`, { method: 'POST', ...request() })
      expect(response.status).toBe(status)
      expect(response.headers.get('content-type')).toBe('application/json;charset=utf-8')
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    })

  test('keeps the request ID of its sender', async () => {
    const { headers } = await fetch(`${world.url}/api/webhook`, {
      method: 'POST',
      ...signed(delivery(), { 'x-request-id': 'given-by-the-caller' }),
    })
    expect(headers.get('x-request-id')).toBe('given-by-the-caller')
  })
})

test('requests of other origins get their headers here too', async () => {
  const { headers, status } = await fetch(`${world.url}/api/webhook`, {
    method: 'POST',
    ...signed(delivery(), { origin: 'https://desk.example.com' }),
  })
  expect(status).toBe(200)
  expect(headers.get('access-control-allow-origin')).toBe('https://desk.example.com')
})
