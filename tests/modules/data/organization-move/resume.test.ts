import { expect, test } from 'bun:test'

import type { Client, Loose } from '../../../support/client'
import { upload } from '../../../support/files'
import { keyOf } from '../../../support/keys'
import { WorldPair } from '../../../support/moves'
import { archiveOf, packed, PASSPHRASE } from '../../../support/organization-archive'
import { World } from '../../../support/world'

test('what was under way goes on where the organization moved to, and nothing is done twice', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const contact = await from.contactOf(from.other)
  const { client: shop } = await keyOf(from, {}, undefined, from.other)
  const atMs = from.clock.nowMs() + 6 * 3_600_000
  const keyed = { 'idempotency-key': 'order-4711' }
  const order = {
    contact_id: contact['id'],
    message: { type: 'text', text: 'Your order' },
    send_at: new Date(atMs).toISOString(),
  }
  const first = await shop.with(keyed).post<Loose>('/api/scheduled-messages', order)
  expect(first.status).toBe(201)
  await pair.start()
  await pair.reach('completed')
  expect(to.rows('select state, send_at_ms as at from scheduled_messages')).toEqual([
    { state: 'scheduled', at: atMs },
  ])
  const there = { ...shop.headers, ...keyed }
  const again = await to.anyone.with(there).post<Loose>('/api/scheduled-messages', order)
  expect([again.status, again.body.code]).toEqual([409, 'idempotency_interrupted'])
  const waiting = (): Loose[] =>
    to.rows(
      "select state from jobs where kind = 'scheduled.send' and organization_id = ?",
      pair.organization,
    )
  expect(waiting()).toEqual([{ state: 'scheduled' }])
  await pair.pass({ seconds: 7 * 3_600 })
  expect(waiting()).not.toEqual([{ state: 'scheduled' }])
  expect(
    from.rows(
      "select 1 from messages where direction = 'outgoing' and organization_id = ?",
      pair.organization,
    ),
  ).toEqual([])
})

test('the numbers of events go on after a move, and after an import', async () => {
  await using pair = await WorldPair.create()
  const { from, to } = pair
  const numberAt = async (client: Client): Promise<number> =>
    Number(((await client.get('/api/me')).data['events'] as Loose)['seq'])
  const admin = await from.as('admin', from.other)
  const customer = from.simulator.customer({ phone: from.other.phoneId })
  for (const text of ['One', 'Two', 'Three']) await customer.says(text)
  await from.settle()
  const bytes = await packed(await archiveOf(from, from.other))
  const before = await numberAt(admin)
  expect(before).toBeGreaterThan(3)
  await pair.start()
  await pair.reach('completed')
  const there = await to.signIn(from.emailOf('admin', from.other))
  expect(await numberAt(there)).toBeGreaterThan(before)
  await using third = await World.create({ isConnected: false, tenants: 1, firstId: 500_000 })
  await upload(await third.as('super'), {
    ...{ bytes, path: '/api/admin/organizations/import', name: 'a.zip', type: 'application/zip' },
    fields: { passphrase: PASSPHRASE, dry_run: 'false' },
  })
  await third.settle()
  const [head] = third.rows<{ seq: number }>(
    'select seq from event_heads where organization_id = ?',
    from.other.id,
  )
  expect(head?.seq).toBeGreaterThanOrEqual(before)
})
