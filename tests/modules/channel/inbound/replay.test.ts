import { describe, expect, test } from 'bun:test'

import { isoTime } from '../../../../src/lib/clock'
import { message } from '../../../../src/simulator/payloads'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, personOf, secondsIn, textTo } from '../../../support/lines'
import { World } from '../../../support/world'
import { changeRows } from '../../../support/sql'

const ANA = personOf(1, 'Ana')

/**
 * Delivers a place nobody could read when it came: as a former version of the program would have
 * stored it.
 */
async function unreadable(world: World): Promise<{ id: string; eventId: string }> {
  const place = { type: 'location', location: { latitude: 41.4, longitude: 2.17, name: 'Harbour' } }
  await deliver(
    world,
    message(place, { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
  )
  const content = JSON.stringify({ platform_type: 'location', text: null, errors: [], raw: {} })
  changeRows(
    world.program.http.db.sqlite,
    "update messages set type = 'unsupported', content = ?, preview = 'Unsupported message'",
    [content],
  )
  world.program.http.db.sqlite.run('delete from message_words')
  const [row] = world.rows<{ id: string }>('select id from messages')
  const [event] = (await (await world.as('admin')).get('/api/inbound/events')).data[
    'items'
  ] as Loose[]
  return { id: String(row?.id), eventId: String(event?.['id']) }
}

const replay = async (world: World, eventId: string): Promise<Loose> => {
  const admin = await world.as('admin')
  await admin.post(`/api/inbound/events/${eventId}/replay`)
  await world.settle()
  return (await admin.get(`/api/inbound/events/${eventId}`)).data
}

describe('a replay', () => {
  test('shows the content of a message that was unreadable before', async () => {
    await using world = await World.create()
    const { id, eventId } = await unreadable(world)
    const socket = await world.socket('manager')
    expect(await replay(world, eventId)).toMatchObject({
      state: 'done',
      outcomes: [{ kind: 'message', outcome: 'upgraded' }],
    })
    const manager = await world.as('manager')
    expect((await manager.get(`/api/messages/${id}`)).data).toMatchObject({
      type: 'location',
      content: { latitude: 41.4, longitude: 2.17, name: 'Harbour' },
      preview: 'Harbour',
    })
    expect((await manager.get('/api/contacts')).data['items']).toMatchObject([
      { last_message_preview: 'Harbour', unread_count: 1 },
    ])
    expect(world.rows('select words from message_words')).toEqual([{ words: 'harbour' }])
    await socket.caughtUp()
    expect(
      socket.events('message:updated').map(({ payload }) => payload['type'] as string),
    ).toEqual(['location'])
    expect(socket.events('message:new')).toEqual([])
  })

  test('of a time range reprocesses the deliveries of that range only', async () => {
    await using world = await World.create({ env: { JOURNAL_DAYS: '30' } })
    world.stays('the journal of webhooks')
    const early = await unreadable(world)
    world.clock.advance({ hours: 20 * 24 })
    await world.settle()
    const betweenMs = world.clock.nowMs()
    world.clock.advance({ seconds: 1 })
    const place = { type: 'location', location: { latitude: 1, longitude: 2, name: 'Late' } }
    await deliver(
      world,
      message(place, { line: lineOf(world.tenant), person: ANA, timestamp: secondsIn(world) }),
    )
    world.program.http.db.sqlite.run("update messages set type = 'unsupported'")
    const root = await world.as('super')
    expect((await root.post('/api/inbound/replay', { to: isoTime(betweenMs) })).data).toEqual({
      queued: 1,
    })
    await world.settle()
    expect(world.rows('select type from messages order by id')).toEqual([
      { type: 'location' },
      { type: 'unsupported' },
    ])
    world.clock.advance({ hours: 11 * 24 })
    await world.settle()
    const later = await world.as('super')
    expect((await later.post(`/api/inbound/events/${early.eventId}/replay`)).status).toBe(404)
    expect((await later.post('/api/inbound/replay', {})).data).toEqual({ queued: 1 })
  })

  test('of an item older than an hour notifies nobody', async () => {
    await using world = await World.create()
    const { id, eventId } = await unreadable(world)
    world.clock.advance({ hours: 1, seconds: 1 })
    const socket = await world.socket('manager')
    await replay(world, eventId)
    expect((await (await world.as('manager')).get(`/api/messages/${id}`)).data['type']).toBe(
      'location',
    )
    expect((await socket.caughtUp()).filter(({ type }) => type.startsWith('message:'))).toEqual([])
  })

  test('leaves all other messages unchanged', async () => {
    await using world = await World.create()
    await deliver(world, textTo(world, 'As it came', { person: ANA }))
    world.program.http.db.sqlite.run('update messages set content = \'{"text":"As it is now"}\'')
    const [event] = (await (await world.as('admin')).get('/api/inbound/events')).data[
      'items'
    ] as Loose[]
    expect(await replay(world, String(event?.['id']))).toMatchObject({
      outcomes: [{ outcome: 'duplicate' }],
    })
    expect(world.rows('select content from messages')).toEqual([
      { content: '{"text":"As it is now"}' },
    ])
  })

  test('does not restore a revoked message', async () => {
    await using world = await World.create()
    const { eventId } = await unreadable(world)
    world.program.http.db.sqlite.run('update messages set revoked_at_ms = 1')
    await replay(world, eventId)
    expect(world.rows('select type from messages')).toEqual([{ type: 'unsupported' }])
  })

  test('marks items from before the connection as late if older than an hour', async () => {
    await using world = await World.create({ isConnected: false })
    await deliver(world, textTo(world, 'Old', { line: lineOf(world.tenant), person: ANA }))
    world.clock.advance({ hours: 2 })
    await deliver(world, textTo(world, 'Fresh', { line: lineOf(world.tenant), person: ANA }))
    await world.connect(world.tenant)
    await world.settle()
    const events = world.rows<{ payload: string }>(
      "select payload from events where type = 'message.received' order by position",
    )
    expect(
      events.map(({ payload }) => (JSON.parse(payload) as Loose)['isLate'] as unknown),
    ).toEqual([true, undefined])
  })
})

describe('deliveries of the last week for a newly connected number', () => {
  test('are offered to the admins for replay, with their count, if they are older than a day', async () => {
    await using world = await World.create({ isConnected: false })
    world.stays('the journal of webhooks')
    for (const text of ['One', 'Two'])
      await deliver(world, textTo(world, text, { line: lineOf(world.tenant) }))
    world.clock.advance({ hours: 3 * 24 })
    await deliver(world, textTo(world, 'Yesterday', { line: lineOf(world.tenant) }))
    world.clock.advance({ hours: 20 })
    await world.connect(world.tenant)
    await world.settle()
    const told = (await (await world.as('admin')).get('/api/me/notifications')).data[
      'items'
    ] as Loose[]
    expect(told).toMatchObject([{ kind: 'account_notice', severity: 'info' }])
    expect(told[0]?.['body']).toContain('2 webhook deliveries')
    for (const client of [await world.as('manager'), await world.as('admin', world.other)])
      expect((await client.get('/api/me/notifications')).data['items']).toEqual([])
    const boss = await world.as('super')
    expect(
      (
        await boss.post('/api/inbound/replay', {
          state: 'unrouted',
          phone_number_id: world.tenant.phoneId,
        })
      ).data,
    ).toEqual({
      queued: 2,
    })
    await world.settle()
    expect(world.rows('select count(*) as n from messages')).toEqual([{ n: 3 }])
  })

  test('are not offered if there are none', async () => {
    await using world = await World.create({ isConnected: false })
    await deliver(world, textTo(world, 'Long ago', { line: lineOf(world.tenant) }))
    world.clock.advance({ hours: 8 * 24 })
    await world.connect(world.tenant)
    await world.connect(world.other)
    await world.settle()
    for (const tenant of world.tenants)
      expect(
        (await (await world.as('admin', tenant)).get('/api/me/notifications')).data['items'],
      ).toEqual([])
  })
})
