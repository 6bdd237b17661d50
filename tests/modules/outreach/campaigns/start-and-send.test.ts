import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { textMessage } from '../../../../src/simulator/payloads'
import { numbersOf, CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { lineOf, secondsIn } from '../../../support/lines'
import { readRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

test('sends to everyone once and counts the statuses', async () => {
  const id = await fixture.draftFor(12)
  expect(await fixture.campaign(id)).toMatchObject({
    status: 'draft',
    total_recipients: 12,
    pending_count: 12,
    template_name: 'news',
  })
  const started = await fixture.do(id, 'start')
  expect(started.data).toMatchObject({ status: 'sending' })
  const done = await fixture.run(id)
  expect(done).toMatchObject({
    status: 'completed',
    total_recipients: 12,
    pending_count: 0,
    sent_count: 12,
    failed_count: 0,
  })
  expect([...fixture.calls().values()]).toEqual(Array.from({ length: 12 }, () => 1))
  const [first] = await fixture.recipients(id)
  expect(first).toMatchObject({ phone_number: '15550200000', attempt: 1, error: null })
  const { data: message } = await fixture.client.get(`/api/messages/${first?.['message_id']}`)
  expect(message).toMatchObject({
    source: 'campaign',
    campaign_id: id,
    type: 'template',
    sent_by: null,
  })
  expect((message['content'] as Loose)['body']).toBe('Hello there, we have news for you today.')
})

test('rejects the second of two starts at the same time', async () => {
  const before = fixture.world.simulator.messages.length
  const id = await fixture.draftFor(numbersOf(5, 15_550_210_000))
  const answers = await Promise.all([fixture.do(id, 'start'), fixture.do(id, 'start')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  await fixture.run(id)
  expect(fixture.world.simulator.messages.length - before).toBe(5)
})

test('lets agents send without delay and gives the campaign the remaining speed', async () => {
  const { world, client } = fixture
  using _stay = world.stays('the memory of a process')
  world.program.http.db.sqlite.run(`update accounts set throughput_level = 'COEXISTENCE'`)
  const person = { waId: '15550240000', userId: 'US.240000' }
  await world.simulator.post(
    textMessage('Hi', { line: lineOf(world.tenant), timestamp: secondsIn(world), person }),
  )
  await world.settle()
  const [contact] = world.rows<{ id: string }>(
    'select id from contacts where wa_id = ?',
    person.waId,
  )
  world.clock.advance({ seconds: 5 })
  const before = world.simulator.messages.length
  await fixture.do(await fixture.draftFor(numbersOf(100, 15_550_241_000)), 'start')
  await world.settle()
  const calls = (): number => world.simulator.messages.length - before
  // A quarter of a second's worth at once: what else is in a full bucket comes little by little.
  expect(calls()).toBe(5)
  const pass = async (seconds: number): Promise<void> => {
    for (let step = 0; step < seconds * 4; step += 1) {
      world.clock.advance({ ms: 250 })
      await world.settle()
    }
  }
  for (let step = 1; step <= 8; step += 1) {
    await pass(0.5)
    await client.post(`/api/contacts/${contact?.id}/messages`, {
      type: 'text',
      text: `Text ${step}`,
    })
    await world.settle()
    expect([step, fixture.calls().get(person.waId)]).toEqual([step, step])
  }
  // All that four seconds bring was sent, and no more than what was left over beside it.
  expect(calls()).toBeGreaterThanOrEqual(5 + 80)
  expect(calls()).toBeLessThanOrEqual(20 + 80 - 4)
  await pass(3)
  expect(calls()).toBe(100 + 8)
  world.program.http.db.sqlite.run(`update accounts set throughput_level = 'STANDARD'`)
})

test('sends nothing twice when paused and resumed fifty times', async () => {
  const numbers = numbersOf(40, 15_550_220_000)
  const id = await fixture.draftFor(numbers)
  await fixture.do(id, 'start')
  for (let round = 0; round < 50; round += 1) {
    await fixture.do(id, 'pause')
    await fixture.world.work()
    await fixture.do(id, 'resume')
    if (round % 5 === 0) fixture.world.clock.advance({ ms: 50 })
  }
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 40 })
  const calls = fixture.calls()
  expect(numbers.map((number) => calls.get(number))).toEqual(numbers.map(() => 1))
})

test('marks an interrupted call as unknown in paused and canceled campaigns, and leaves no job', async () => {
  const { sqlite } = fixture.world.program.http.db
  for (const [nth, way] of (['pause', 'cancel'] as const).entries()) {
    const id = await fixture.draftFor(numbersOf(3, 15_550_225_000 + 100 * nth), { rate_limit: 1 })
    fixture.world.clock.advance({ seconds: 1 }) // what went before has left nothing to send
    await fixture.do(id, 'start')
    await fixture.world.settle()
    const [cutOff] = readRows<{ id: string }>(
      sqlite,
      `update messages set stage = 'sending' where id = (select m.id from messages m join campaign_sends s on s.message_id = m.id
         where s.campaign_id = ? and m.stage = 'queued' limit 1) returning id`,
      [id],
    )
    await fixture.do(id, way)
    await fixture.world.settle()
    for (const minutes of [2, 10]) {
      fixture.world.clock.advance({ minutes })
      await fixture.world.settle()
    }
    const { data: message } = await (await fixture.manager).get(`/api/messages/${cutOff?.id}`)
    expect([way, message['status']]).toEqual([way, 'unknown'])
    expect(await fixture.campaign(id)).toMatchObject({ sent_count: 1, unknown_count: 1 })
    expect(
      sqlite
        .query(
          "select state from jobs where kind = 'message.send' and state not in ('completed', 'cancelled')",
        )
        .all(),
    ).toEqual([])
    await fixture.do(id, 'cancel')
  }
})

test('sends ten messages with a budget of ten and pauses', async () => {
  setPrice(fixture.world, { micros: 1_000_000 })
  const id = await fixture.draftFor(numbersOf(25, 15_550_230_000), {
    budget: { amount: '10', currency: 'USD' },
  })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'paused',
    pause_reason: 'budget',
    sent_count: 10,
    pending_count: 15,
  })
  expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'over_budget' })
  expect(
    (
      await fixture.client.put(`/api/campaigns/${id}`, {
        budget: { amount: '12.5', currency: 'USD' },
      })
    ).status,
  ).toBe(200)
  expect((await fixture.do(id, 'resume')).status).toBe(200)
  expect(await fixture.run(id)).toMatchObject({
    status: 'paused',
    pause_reason: 'budget',
    sent_count: 12,
  })
  expect((await fixture.do(id, 'cancel')).data).toMatchObject({
    status: 'cancelled',
    cancelled_count: 13,
    pending_count: 0,
  })
})

describe('a failing platform', () => {
  test('pauses when a third of the recipients are unreachable, and can resume', async () => {
    const numbers = numbersOf(90, 15_550_240_000)
    for (const number of numbers.filter((_, nth) => nth % 3 === 0))
      fixture.world.simulator.fail({ code: 131_026 }, { recipient: number, times: 1 })
    const id = await fixture.draftFor(numbers)
    await fixture.do(id, 'start')
    const paused = await fixture.run(id)
    expect(paused).toMatchObject({ status: 'paused', pause_reason: 'error_rate' })
    expect(paused['failed_count']).toBeGreaterThan(3)
    const { data: told } = await fixture.client.get('/api/me/notifications')
    expect(
      (told['items'] as Loose[]).filter(
        ({ kind, link }) => kind === 'campaign_paused' && link === `/campaigns/${id}`,
      ),
    ).toHaveLength(1)
    expect((await fixture.do(id, 'resume', { ignore_errors: true })).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      failed_count: 30,
      sent_count: 60,
    })
    const { data: progress } = await fixture.client.get(`/api/campaigns/${id}/progress`)
    expect(progress['errors']).toMatchObject([{ count: 30 }])
  })
})
