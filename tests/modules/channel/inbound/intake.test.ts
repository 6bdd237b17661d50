import { expect, test } from 'bun:test'

import { IngestQueue } from '../../../../src/modules/channel/inbound/journal/ingest'
import type { Webhook } from '../../../../src/simulator/payloads'
import { lineOf, textTo } from '../../../support/lines'
import { World } from '../../../support/world'

const waiting = (world: World): number => world.rows('select id from inbound_staging').length

const said = (world: World): unknown[] =>
  world
    .rows<{ content: string }>('select content from messages order by received_at_ms, id')
    .map(({ content }) => JSON.parse(content).text)

test('processes deliveries of an earlier process once, before new ones', async () => {
  await using world = await World.create({ tenants: 1 })
  const texts = ['One', 'Two', 'Three'].map((text) => textTo(world, text))
  for (const webhook of texts) expect((await world.simulator.post(webhook)).status).toBe(200)
  expect([waiting(world), said(world)]).toEqual([3, []])
  const next = new IngestQueue(world.program.http)
  while (next.move(50) > 0);
  expect((await world.simulator.post(textTo(world, 'Four'))).status).toBe(200)
  for (const webhook of texts) expect((await world.simulator.post(webhook)).status).toBe(200)
  await world.settle()
  expect([waiting(world), said(world)]).toEqual([0, ['One', 'Two', 'Three', 'Four']])
  expect(world.rows('select state, count(*) as n from inbound_events group by 1')).toEqual([
    { state: 'done', n: 4 },
  ])
})

test('alternates between organizations so that a burst of one does not delay another', async () => {
  await using world = await World.create()
  for (let nth = 0; nth < 20; nth += 1) await world.simulator.post(textTo(world, `Flood ${nth}`))
  await world.simulator.post(textTo(world, 'Alone', { line: lineOf(world.other) }))
  await world.settle()
  expect(said(world).slice(0, 3)).toEqual(['Flood 0', 'Alone', 'Flood 1'])
})

test('shows an unreadable delivery as failed and processes the others', async () => {
  await using world = await World.create({ tenants: 1 })
  world.program.http.db.sqlite
    .run(`create trigger broken before insert on inbound_events when new.phone_number_id = '666'
    begin select raise(abort, 'does not fit'); end`)
  const strange = textTo(world, 'Breaks', {
    line: { phoneNumberId: '666', wabaId: '1', displayPhoneNumber: '1' },
  })
  await Promise.all(
    [textTo(world, 'Before'), strange, textTo(world, 'After')].map((webhook) =>
      world.simulator.post(webhook),
    ),
  )
  await world.settle()
  expect([waiting(world), new Set(said(world))]).toEqual([0, new Set(['After', 'Before'])])
  expect(
    world.rows('select state, last_error from inbound_events where last_error is not null'),
  ).toEqual([{ state: 'failed', last_error: 'does not fit' }])
})

test('isolates a message that cannot be stored; others are stored and counted once', async () => {
  await using world = await World.create({ tenants: 1 })
  world.program.http.db.sqlite
    .run(`create trigger broken before insert on message_words when exists (select 1 from messages where row = new.row and content like '%unlucky%')
    begin select raise(abort, 'does not fit'); end`)
  for (const text of ['First', 'Unlucky', 'Last']) await world.simulator.post(textTo(world, text))
  await world.settle()
  expect([waiting(world), said(world)]).toEqual([0, ['First', 'Last']])
  expect(world.rows("select type from events where type = 'message.received'")).toHaveLength(2)
  const outcomes = world.rows<{ state: string; outcomes: string }>(
    'select state, outcomes from inbound_events order by received_at_ms, id',
  )
  expect(outcomes.map(({ state }) => state)).toEqual(['done', 'failed', 'done'])
  expect(JSON.parse(outcomes[1]?.outcomes ?? '[]')).toMatchObject([
    { outcome: 'failed', reason: expect.stringContaining('does not fit') },
  ])
  const { values } = await world.program.http.metrics.messages.get()
  expect(values).toMatchObject([
    { value: 2, labels: { direction: 'incoming', type: 'text', outcome: 'received' } },
  ])
})

test('keeps the order of a delivery about two organizations', async () => {
  await using world = await World.create()
  const toOther = (text: string): Webhook => textTo(world, text, { line: lineOf(world.other) })
  for (let nth = 0; nth < 3; nth += 1) await world.simulator.post(textTo(world, `Before ${nth}`))
  const both = textTo(world, 'To one')
  both.entry.push(...toOther('To the other').entry)
  for (const webhook of [both, toOther('And then'), textTo(world, 'After')])
    await world.simulator.post(webhook)
  await world.settle()
  const isOther = (text: unknown): boolean => ['To the other', 'And then'].includes(String(text))
  expect(said(world).filter(isOther)).toEqual(['To the other', 'And then'])
  expect(said(world).filter((text) => !isOther(text))).toEqual([
    'Before 0',
    'Before 1',
    'Before 2',
    'To one',
    'After',
  ])
})
