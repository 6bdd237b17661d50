import { expect, test } from 'bun:test'

import { imported } from '../../../support/imports'
import { Receiver } from '../../../support/receiver'
import { changeRows } from '../../../support/sql'
import { World } from '../../../support/world'

test('a change of consent names the purpose, the source and the time of the change', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const { id } = await world.contactOf()
  await admin.post('/api/webhooks', {
    name: 'CRM',
    url: receiver.url,
    events: ['contact.consent_changed'],
  })
  await admin.post(`/api/contacts/${id}/consents`, { state: 'opted_in' })
  world.clock.advance({ seconds: 30 })
  await world.settle()
  expect(receiver.received.map(({ body }) => body.data)).toEqual([
    {
      contact_id: id,
      purpose: 'marketing',
      state: 'opted_in',
      source: 'agent',
      at: '2026-11-21T09:30:00.000Z',
    },
  ])
})

test('events that were not read when their contact is deleted are sent, of an erased one none', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({
    env: { EGRESS_ALLOW: new URL(receiver.url).host },
  })
  const admin = await world.as('admin')
  const events = ['contact.created', 'contact.updated', 'contact.deleted']
  await admin.post('/api/webhooks', { name: 'CRM', url: receiver.url, events })
  const sent: string[] = []
  world.program.webhookReader.loop.stop()
  for (const isPurged of [false, true]) {
    const { data } = await admin.post('/api/contacts', {
      phone_number: isPurged ? '15550700021' : '15550700020',
    })
    await admin.put(`/api/contacts/${data['id']}`, { name: 'Mona' })
    await admin.delete(`/api/contacts/${data['id']}${isPurged ? '?purge=true' : ''}`)
    sent.push(String(data['id']))
  }
  world.program.webhookReader.loop.start()
  await world.settle()
  const received = receiver.received
    .toSorted((a, b) => a.body.seq - b.body.seq)
    .map(({ body }) => [body.type, body.data['id']])
  expect(received).toEqual([
    ['contact.created', sent[0]],
    ['contact.updated', sent[0]],
    ['contact.deleted', sent[0]],
    ['contact.deleted', sent[1]],
  ])
})

/** A world with an endpoint for changes of many contacts at once. */
async function withBulkEndpoint() {
  const receiver = new Receiver()
  const world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  await (
    await world.as('admin')
  ).post('/api/webhooks', { name: 'CRM', url: receiver.url, events: ['contact.bulk'] })
  /** The events in their order, each once. */
  const events = () =>
    [...new Map(receiver.received.map((one) => [one.body.id, one])).values()].toSorted(
      (a, b) => a.body.seq - b.body.seq,
    )
  return {
    receiver,
    world,
    events,
    counts: (name: string): number[] => events().map(({ body }) => Number(body.data[name])),
    ids: (): string[] => events().flatMap(({ body }) => body.data['contact_ids'] as string[]),
    /** Lets everything be delivered, also what a busy machine did not answer in time. */
    async settle(): Promise<void> {
      await world.settle()
      world.clock.advance({ seconds: 6 })
      await world.settle()
    },
    async [Symbol.asyncDispose]() {
      await world.stop()
      await receiver[Symbol.asyncDispose]()
    },
  }
}

test('an import names its contacts, 500 rows in an event, each once', async () => {
  await using at = await withBulkEndpoint()
  const rows = Array.from({ length: 601 }, (_, nth) => `+1555${2_000_000 + nth},No ${nth}`)
  const manager = await at.world.as('manager')
  const about = await imported(at.world, manager, {
    file: `phone_number,name\n${rows.join('\n')}\n`,
  })
  await at.settle()
  expect(at.counts('created')).toEqual([500, 101])
  expect(new Set(at.ids()).size).toBe(601)
  for (const { body, text } of at.events()) {
    expect(body.data).toMatchObject({ reason: 'import', import_id: about['id'], job_id: null })
    expect(body.data['truncated']).toBe(false)
    expect(text.length).toBeLessThanOrEqual(20 * 1024)
  }
  await manager.post(`/api/imports/${String(about['id'])}/undo`)
  await at.settle()
  const deleted = at.counts('deleted').reduce((sum, some) => sum + some, 0)
  expect(deleted).toBe(601)
  expect(at.ids()).toHaveLength(1_202)
}, 180_000)

test('a bulk job names its contacts, 500 in an event, each once', async () => {
  await using at = await withBulkEndpoint()
  const rows = Array.from({ length: 501 }, (_, nth) => `+1555${2_000_000 + nth}`)
  const manager = await at.world.as('manager')
  await imported(at.world, manager, { file: `phone_number\n${rows.join('\n')}\n` })
  await at.settle()
  const ids = at.ids()
  at.receiver.received.length = 0
  const change = { contact_ids: ids, action: 'add_tags', value: ['Bulk'] }
  const { data: job } = await manager.post('/api/contacts/bulk', change)
  await at.settle()
  expect(at.counts('updated')).toEqual([500, 1])
  expect(at.ids().toSorted()).toEqual(ids.toSorted())
  expect(at.events()[0]?.body.data).toMatchObject({
    reason: 'bulk_update',
    job_id: job['id'],
  })
}, 180_000)

test('a bulk job that was interrupted goes on, and names each contact once', async () => {
  await using at = await withBulkEndpoint()
  const manager = await at.world.as('manager')
  const ids: string[] = []
  for (let nth = 0; nth < 120; nth += 1) {
    const contact = { phone_number: `+1555${3_000_000 + nth}` }
    ids.push(String((await manager.post('/api/contacts', contact)).data['id']))
  }
  const { id } = (await manager.post('/api/contacts/bulk', { contact_ids: ids, action: 'delete' }))
    .data
  const [first, second] = ids.toSorted()
  const progress = { after: second, done: 2, unpublished: [first, second], isOver: false }
  changeRows(
    at.world.program.http.db.sqlite,
    `update jobs set args = json_set(args, '$.progress', json(?)) where kind = 'contact.bulk'`,
    [JSON.stringify(progress)],
  )
  await at.settle()
  expect(at.counts('deleted')).toEqual([120])
  expect(at.ids().toSorted()).toEqual(ids.toSorted())
  expect(at.events()[0]?.body.data).toMatchObject({ reason: 'bulk_delete', job_id: id })
  expect((await manager.get('/api/contacts')).data['total']).toBe(2)
}, 180_000)

test('a request has at most 20 KiB, and a text that was cut is marked', async () => {
  await using receiver = new Receiver()
  await using world = await World.create({ env: { EGRESS_ALLOW: new URL(receiver.url).host } })
  const admin = await world.as('admin')
  await admin.post('/api/webhooks', {
    ...{ name: 'CRM', url: receiver.url, events: ['message.received'] },
  })
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: '4915112345678' })
  const most = 20 * 1024
  for (const text of ['ü'.repeat(30_000), '😀"\n'.repeat(8_000), 'a'.repeat(20_300)])
    await customer.says(text)
  await customer.says('Short')
  await world.settle()
  const sizes = receiver.received.map(({ text }) => Buffer.byteLength(text))
  expect(sizes.map((size) => size <= most && size > most - 300)).toEqual([true, true, true, false])
  expect(receiver.received.map(({ body }) => body.data['truncated'] ?? false)).toEqual([
    ...[true, true, true, false],
  ])
})
