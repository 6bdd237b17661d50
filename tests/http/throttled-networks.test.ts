import { describe, expect, test } from 'bun:test'

import type { Client } from '../support/client'
import { World } from '../support/world'

/**
 * Thirty failures of one address or network are taken, the next is not; others are not concerned.
 */
const CLIENTS = [
  ['an IPv4 address', () => '203.0.113.7', '203.0.113.8'],
  [
    'an IPv6 network of 64 bits',
    (nth: number) => `2001:db8:1:2::${nth.toString(16)}`,
    '2001:db8:1:3::1',
  ],
  [
    'an IPv6 network, however its addresses are written',
    (nth: number) => `2001:0DB8:0001:2:0:0:${nth}:1`,
    '2001:db8:1:3::1',
  ],
] as const

/** What is tried, and the status of a try that counts. */
const DOORS: [
  door: string,
  attempt: (client: Client, nth: number) => Promise<number>,
  counted: number,
][] = [
  [
    'mail of links for new passwords',
    async (client, nth) =>
      (await client.post('/api/auth/password/forgot', { email: `nobody-${nth}@example.com` }))
        .status,
    200,
  ],
  [
    "the platform's verification request",
    async (client) =>
      (await client.get('/api/webhook?hub.mode=subscribe&hub.verify_token=wrong&hub.challenge=1'))
        .status,
    403,
  ],
]

for (const [door, attempt, counted] of DOORS)
  describe(door, () => {
    for (const [what, addressOf, other] of CLIENTS)
      test(`is blocked for ${what} after thirty attempts, and only that caller`, async () => {
        await using world = await World.create({
          isConnected: false,
          tenants: 1,
          env: { TRUSTED_PROXIES: '127.0.0.1', SMTP_URL: 'smtp://127.0.0.1:9' },
        })
        const from = (address: string): Client => world.anyone.with({ 'x-forwarded-for': address })
        for (let nth = 1; nth <= 30; nth += 1)
          expect(await attempt(from(addressOf(nth)), nth)).toBe(counted)
        expect(await attempt(from(addressOf(31)), 31)).toBe(429)
        expect(await attempt(from(other), 32)).toBe(counted)
      })
  })
