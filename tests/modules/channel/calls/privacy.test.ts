import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { entriesOf } from '../../../support/privacy-export'
import { World } from '../../../support/world'

/** Creates a world with a recorded call, and returns the call. */
async function recordedCall(): Promise<{ world: World; call: Loose }> {
  const world = await World.create({ tenants: 1 })
  const call = await world.simulator.customer({ phone: world.tenant.phoneId }).calls()
  await call.ends(20)
  await call.isRecorded()
  await call.isTranscribed('{"transcript":{"text":"Hello"}}')
  await world.settle()
  const { data } = await (await world.as('admin')).get('/api/calls')
  return { world, call: (data['items'] as Loose[])[0] as Loose }
}

test('erasing a person erases its calls with their files, and the receipt counts them', async () => {
  const { world, call } = await recordedCall()
  await using _ = world
  world.stays('the journal of webhooks')
  const admin = await world.as('admin')
  const asked = await admin.post(`/api/contacts/${call['contact_id']}/erase`, {
    confirm: call['contact_id'],
  })
  expect(asked.status).toBe(201)
  await world.settle()
  const { data } = await admin.get(`/api/privacy/requests/${asked.data['id']}`)
  expect((data['receipt'] as Loose)['counts']).toMatchObject({
    calls: 1,
    files: 2,
    conversations: 1,
  })
  expect(world.rows('select id from calls')).toEqual([])
  expect(world.rows('select id from media')).toEqual([])
  const superAdmin = await world.as('super')
  const headers = { 'x-organization-id': world.tenant.id }
  const events = (await superAdmin.with(headers).get('/api/inbound/events')).data[
    'items'
  ] as Loose[]
  expect(events).toHaveLength(4)
  for (const { id } of events) {
    const { data: event } = await superAdmin
      .with(headers)
      .get(`/api/inbound/events/${id}?include=raw`)
    expect(JSON.stringify(event)).not.toContain(String(call['wa_call_id']))
  }
})

test('an export of a person has its calls with their files', async () => {
  const { world, call } = await recordedCall()
  await using _ = world
  const admin = await world.as('admin')
  const { data } = await admin.post(`/api/contacts/${call['contact_id']}/privacy-export`)
  await world.settle()
  const entries = await entriesOf(world, admin, String(data['id']))
  const [exported] = JSON.parse(entries.get('calls.json') ?? '[]') as Loose[]
  expect(exported).toMatchObject({ id: call['id'], state: 'ended', duration_seconds: 20 })
  const names = ((exported?.['files'] ?? []) as Loose[]).map(({ file }) => String(file))
  expect(names).toHaveLength(2)
  for (const name of names) expect(entries.has(name)).toBe(true)
})

test('deleting a contact deletes the recordings of its calls', async () => {
  const { world, call } = await recordedCall()
  await using _ = world
  const admin = await world.as('admin')
  await admin.delete(`/api/contacts/${call['contact_id']}`)
  await world.settle()
  const gone = { stored_as: null, filename: null, sha256: null, platform_media_id: null }
  expect(
    world.rows('select state, stored_as, filename, sha256, platform_media_id from media'),
  ).toEqual([
    { state: 'expired', ...gone },
    { state: 'expired', ...gone },
  ])
  expect((await admin.get('/api/calls')).data['items']).toEqual([])
})

test('calls and their files go with the retention of messages', async () => {
  const { world } = await recordedCall()
  await using _ = world
  await (await world.as('admin')).put('/api/retention', { messages_days: 7 })
  for (let day = 0; day < 9; day += 1) {
    world.clock.advance({ hours: 24 })
    await world.settle()
  }
  expect(world.rows('select id from calls')).toEqual([])
  expect(world.rows('select id from media')).toEqual([])
})
