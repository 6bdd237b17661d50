import { expect, test } from 'bun:test'

import type { Loose } from '../support/client'
import { batch } from '../../src/simulator/payloads'
import { deliver, lineOf, secondsIn, textTo, valueOf } from '../support/lines'
import { World } from '../support/world'

/** The jobs that wait for a time that is more than an hour away. */
const waitingLong = (world: World): unknown[] =>
  world.rows(
    "select kind, state from jobs where state in ('scheduled', 'retryable') and scheduled_at_ms > ?",
    world.program.http.clock.nowMs() + 3_600_000,
  )

test.each([
  ['forward', 24],
  ['back', -24],
])(
  'a clock that jumps %s by a day and returns loses, repeats and delays no work',
  async (_, hours) => {
    await using world = await World.create({ env: { SEND_EXPIRY_HOURS: '72' } })
    const contact = await world.contactOf()
    const socket = await world.socket('admin')
    const jump = (by: number): void => world.clock.advance({ hours: by })
    const texts = ['Before', 'While it was wrong', 'After']

    await deliver(world, textTo(world, 'Before'))
    // A call that is refused for now is planned to be tried again, by the clock of that moment.
    const fail = (): unknown => world.simulator.fail({ code: 130_429 })
    const send = async (text: string): Promise<void> => {
      const admin = await world.signIn(world.emailOf('admin', world.tenant))
      const answer = await admin.post(`/api/contacts/${contact['id']}/messages`, {
        type: 'text',
        text,
      })
      if (hours < 0 || text !== 'Ours, meanwhile')
        expect([text, answer.status]).toEqual([text, 201])
    }
    await send('Ours, before')
    await world.settle()
    jump(hours)
    await deliver(world, textTo(world, 'While it was wrong'))
    fail()
    await send('Ours, meanwhile')
    await world.settle()
    if (hours < 0) for (let nth = 0; nth < 20; nth += 1) await socket.caughtUp()
    jump(-hours)
    await deliver(world, textTo(world, 'After'))
    await send('Ours, after')
    await world.settle()
    expect(waitingLong(world)).toEqual([])
    world.clock.advance({ minutes: 10 })
    await world.settle()

    const stored = world.rows<{ text: string }>(
      "select json_extract(content, '$.text') as text from messages where direction = 'incoming'",
    )
    expect(
      stored
        .map(({ text }) => text)
        .filter((text) => texts.includes(text))
        .toSorted(),
    ).toEqual(texts.toSorted())
    const ours = world.rows<{ id: string; status: string }>(
      "select id, status from messages where direction = 'outgoing'",
    )
    const taken = world.simulator.messages.map(({ body }) =>
      String((body as Loose)['biz_opaque_callback_data']),
    )
    expect(new Set(taken).size).toBe(taken.length)
    expect(ours.filter(({ id }) => !taken.includes(id)).map(({ status }) => status)).toEqual([])
    expect(
      world.rows(
        "select kind, state from jobs where state in ('available', 'executing', 'retryable', 'discarded')",
      ),
    ).toEqual([])
    const slots = world.rows<{ slot: number }>(
      "select slot_ms as slot from job_schedules where name = 'system.prune-old-data'",
    )
    expect(Math.abs((slots[0]?.slot ?? 0) - world.clock.nowMs())).toBeLessThanOrEqual(15 * 60_000)
  },
)

test('a delivery waiting for an earlier one is not delayed when the clock is set back', async () => {
  await using world = await World.create()
  const { ingest, worker } = world.program
  worker.step()
  world.clock.advance({ hours: 24 })
  const long = batch(100, { line: lineOf(world.tenant), timestamp: secondsIn(world) })
  const person = { waId: String((valueOf(long)['contacts'] as Loose[])[90]?.['wa_id']) }
  for (const webhook of [long, textTo(world, 'After the long one', { person })])
    expect((await world.simulator.post(webhook)).status).toBe(200)
  const waits = (): boolean =>
    world.rows("select 1 from jobs where kind = 'inbound.process' and state = 'scheduled'").length >
    0
  for (let turn = 0; turn < 100 && !waits(); turn += 1) {
    ingest.step()
    worker.step()
  }
  expect(world.rows('select state from inbound_events order by id')).toEqual([
    { state: 'processing' },
    { state: 'pending' },
  ])
  world.clock.advance({ hours: -24 })
  // It is looked at before the long one is done, as when another long one ends.
  const admin = await world.signIn(world.emailOf('admin', world.tenant))
  const [job] = (await admin.get('/api/jobs?state=scheduled&kind=inbound.process')).data[
    'items'
  ] as Loose[]
  expect((await admin.post(`/api/jobs/${job?.['id']}/retry`)).status).toBe(200)
  await world.settle()
  expect(world.rows('select state from inbound_events order by id')).toEqual([
    { state: 'done' },
    { state: 'done' },
  ])
  expect(waitingLong(world)).toEqual([])
})

test('a send without a response under a wrong clock becomes unknown in time and does not delay its contact', async () => {
  await using world = await World.create()
  const contact = await world.contactOf()
  world.clock.advance({ hours: 20 })
  world.simulator.swallowStatuses()
  world.simulator.loseAnswer()
  const admin = await world.signIn(world.emailOf('admin', world.tenant))
  const { data: lost } = await admin.post(`/api/contacts/${contact['id']}/messages`, {
    type: 'text',
    text: 'Lost',
  })
  await world.settle()
  world.clock.advance({ hours: -20 })
  await world.settle()
  world.clock.advance({ minutes: 11 })
  await world.settle()
  expect(world.rows('select status from messages where id = ?', String(lost['id']))).toEqual([
    { status: 'unknown' },
  ])
  expect(waitingLong(world)).toEqual([])
})
