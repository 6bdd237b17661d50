import { expect, test } from 'bun:test'

import type { Loose } from '../../../support/client'
import { deliver, statusTo, valueOf } from '../../../support/lines'
import { World } from '../../../support/world'

test('marks a status without its message as an orphan after a day', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('the journal of webhooks')
  const contact = await world.contactOf()
  const manager = await world.as('manager')
  world.simulator.loseAnswer()
  world.simulator.swallowStatuses()
  const { data: sent } = await manager.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Hi',
  })
  await world.settle()
  const wamid = String(world.simulator.messages[0]?.wamid)
  await deliver(world, statusTo(world, 'wamid.of-nobody', 'delivered'))
  await deliver(world, statusTo(world, wamid, 'read'))
  const outcomes = async (): Promise<string[][]> => {
    const admin = await world.as('admin')
    const { data } = await admin.get('/api/inbound/events?sort=received_at&limit=10')
    const events = (data['items'] as Loose[]).toReversed().slice(-2)
    const details = await Promise.all(
      events.map(async ({ id }) => (await admin.get(`/api/inbound/events/${id}`)).data),
    )
    return details.map(({ outcomes: told }) =>
      (told as Loose[]).map(({ outcome }) => outcome as string),
    )
  }
  expect(await outcomes()).toEqual([['parked'], ['parked']])
  // The first status that says whose it is brings the other one home.
  await deliver(
    world,
    statusTo(world, wamid, 'sent', { facts: { callbackData: String(sent['id']) } }),
  )
  expect((await manager.get(`/api/messages/${sent['id']}`)).data['status']).toBe('read')
  const rows = (): unknown[] =>
    world
      .rows<{ outcomes: string }>(`select outcomes from inbound_events order by id`)
      .map(({ outcomes: told }) =>
        (JSON.parse(told) as Loose[]).map(({ outcome }) => outcome as string),
      )
  world.clock.advance({ hours: 23, minutes: 40 })
  await world.settle()
  expect(rows().slice(-3)).toEqual([['parked'], ['parked'], []])
  world.clock.advance({ minutes: 40 })
  await world.settle()
  expect(rows().slice(-3)).toEqual([['orphan'], [], []])
})

test('marks every unmatched item of a large delivery as an orphan after a day', async () => {
  await using world = await World.create({ tenants: 1 })
  const webhook = statusTo(world, 'wamid.of-nobody', 'delivered')
  const [status] = valueOf(webhook)['statuses'] as Loose[]
  valueOf(webhook)['statuses'] = Array.from({ length: 420 }, (_, nth) => ({
    ...status,
    id: `wamid.of-nobody-${nth}`,
  }))
  await deliver(world, webhook)
  const told = (): Record<string, number> => {
    const [row] = world.rows<{ outcomes: string }>('select outcomes from inbound_events')
    return Object.fromEntries(
      Map.groupBy(JSON.parse(row?.outcomes ?? '[]') as Loose[], ({ outcome }) => outcome as string)
        .entries()
        .map(([outcome, all]) => [outcome, all.length]),
    )
  }
  expect(told()).toEqual({ parked: 420 })
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect(told()).toEqual({ orphan: 420 })
})

test('counts more than a thousand parked items, and those that become orphans', async () => {
  await using world = await World.create({ tenants: 1 })
  world.stays('the journal of webhooks')
  const contact = await world.contactOf()
  const webhook = statusTo(world, 'wamid.of-nobody', 'delivered')
  const [status] = valueOf(webhook)['statuses'] as Loose[]
  valueOf(webhook)['statuses'] = Array.from({ length: 2_300 }, (_, nth) =>
    nth % 100 === 7 ? 17 : { ...status, id: `wamid.late-${nth}` },
  )
  await deliver(world, webhook)
  const [event] = (await (await world.as('admin')).get('/api/inbound/events?limit=1')).data[
    'items'
  ] as Loose[]
  const read = async (): Promise<Loose> =>
    (await (await world.as('admin')).get(`/api/inbound/events/${event?.['id']}`)).data
  const told = (event: Loose): Record<string, number> => {
    const counts: Record<string, number> = {}
    for (const { outcome, more = 0 } of event['outcomes'] as { outcome: string; more?: number }[])
      counts[outcome] = (counts[outcome] ?? 0) + 1 + more
    return counts
  }
  const before = await read()
  expect([before['state'], before['items'], told(before)]).toEqual([
    'partial',
    { messages: 0, statuses: 2_300, errors: 0, other: 0 },
    { parked: 2_277, failed: 23 },
  ])
  expect((before['outcomes'] as Loose[]).length).toBe(1_023)
  // One that is told and one that is only counted find their messages.
  for (const nth of [3, 2_000]) {
    const { data } = await (
      await world.as('manager')
    ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: `Hi ${nth}` })
    await world.settle()
    world.rows(
      'update messages set wa_message_id = ? where id = ?',
      `wamid.late-${nth}`,
      String(data['id']),
    )
  }
  world.clock.advance({ hours: 25 })
  await world.settle()
  expect(told(await read())).toEqual({ orphan: 2_275, failed: 23 })
})
