import { afterAll, beforeAll, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, statusTo } from '../../../support/lines'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  setPrice(fixture.world, { micros: 1_000_000 })
  setPrice(fixture.world, { micros: 5_000_000, currency: 'EUR' })
})

afterAll(() => fixture.world.stop())

test('requires a budget currency with prices, and keeps it after the first message', async () => {
  const refused = await (
    await fixture.manager
  ).post('/api/campaigns', {
    name: 'Odd',
    account_id: fixture.world.tenant.accountId,
    template_id: fixture.templateId,
    variable_mapping: { '1': 'name' },
    budget: { amount: '10', currency: 'CHF' },
  })
  expect({ status: refused.status, paths: refused.body.errors?.map(({ path }) => path) }).toEqual({
    status: 400,
    paths: ['body.budget.currency'],
  })
  const id = await fixture.draftFor(numbersOf(6, 15_551_200_000), {
    budget: { amount: '3', currency: 'EUR' },
  })
  expect(
    (await fixture.client.put(`/api/campaigns/${id}`, { budget: { amount: '3', currency: 'USD' } }))
      .status,
  ).toBe(200)
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'paused',
    pause_reason: 'budget',
    actual_cost: '3.00',
    currency: 'USD',
    sent_count: 3,
  })
  const changed = await fixture.client.put(`/api/campaigns/${id}`, {
    budget: { amount: '30', currency: 'EUR' },
  })
  expect({ status: changed.status, paths: changed.body.errors?.map(({ path }) => path) }).toEqual({
    status: 400,
    paths: ['body.budget.currency'],
  })
  expect(await fixture.campaign(id)).toMatchObject({ actual_cost: '3.00', currency: 'USD' })
})

test('reports an unknown cost when a charged message has no price', async () => {
  const templateId = await approvedTemplate(fixture.world, {
    name: 'unpriced',
    category: 'UTILITY',
  })
  const id = await fixture.draftFor(numbersOf(2, 15_551_210_000), { template_id: templateId })
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 2,
    actual_cost: null,
    estimated_cost: null,
  })
})

test('does not start with a budget in a currency without prices', async () => {
  await using early = await CampaignFixture.open()
  const id = await early.draftFor(1, { budget: { amount: '10', currency: 'CHF' } })
  setPrice(early.world, { micros: 1_000_000 })
  expect((await early.do(id, 'start')).body).toMatchObject({
    code: 'invalid_input',
    errors: [{ path: 'budget.currency', message: 'has no prices' }],
  })
})

test('takes a message that the platform does not charge for as free', async () => {
  const { world } = fixture
  const [free = '', charged = '', unknown = ''] = numbersOf(3, 15_551_215_000)
  for (const recipient of [free, charged, unknown]) world.simulator.followWith([], { recipient })
  const id = await fixture.draftFor([free, charged, unknown])
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', actual_cost: '0.00' })
  const tell = async (number: string, pricing?: Loose): Promise<void> => {
    const [recipient] = await fixture.recipients(id, `&search=${number}`)
    const { data } = await (await fixture.manager).get(`/api/messages/${recipient?.['message_id']}`)
    const facts = pricing === undefined ? {} : { pricing }
    await deliver(world, statusTo(world, String(data['wa_message_id']), 'delivered', { facts }))
  }
  const category = 'marketing'
  await tell(free, { billable: false, pricing_model: 'PMP', category })
  expect((await fixture.campaign(id))['actual_cost']).toBe('0.00')
  await tell(charged, { billable: true, pricing_model: 'PMP', category })
  await tell(unknown)
  expect(await fixture.campaign(id)).toMatchObject({ delivered_count: 3, actual_cost: '1.00' })
})

test.each([['before'], ['after']])(
  'adds the cost of a first attempt that arrived %s the second was settled, and leaves other campaigns alone',
  async (when) => {
    const { world } = fixture
    const [number = ''] = numbersOf(1, when === 'before' ? 15_551_216_000 : 15_551_216_500)
    const pricing = { billable: true, pricing_model: 'PMP', category: 'marketing' }
    const arrived = (attempt: number, callbackData: string): Promise<void> => {
      const taken = world.simulator.messages.filter(
        ({ body }) => (body as Loose)['to'] === `+${number}`,
      )
      const wamid = String(taken[attempt]?.wamid)
      return deliver(
        world,
        statusTo(world, wamid, 'delivered', { facts: { pricing, callbackData } }),
      )
    }
    const message = async (id: string): Promise<string> =>
      String((await fixture.recipients(id))[0]?.['message_id'])
    const costs = async (): Promise<unknown[]> =>
      await Promise.all(
        [first, other].map(async (id) => (await fixture.campaign(id))['actual_cost'] as unknown),
      )
    world.simulator.swallowStatuses({ recipient: number, times: 3 })
    world.simulator.loseAnswer({ recipient: number })
    const first = await fixture.draftFor([number])
    await fixture.do(first, 'start')
    await world.settle()
    world.clock.advance({ minutes: 11 })
    expect(await fixture.run(first)).toMatchObject({ unknown_count: 1, actual_cost: '0.00' })
    const unconfirmed = await message(first)
    const other = await fixture.draftFor([number])
    await fixture.do(other, 'start')
    await fixture.run(other)
    await arrived(1, await message(other))
    await fixture.do(first, 'retry-failed', { include_unknown: true })
    expect(await fixture.run(first)).toMatchObject({ status: 'completed', sent_count: 1 })
    expect(await costs()).toEqual(['0.00', '1.00'])
    const steps = [() => arrived(0, unconfirmed), async () => arrived(2, await message(first))]
    for (const step of when === 'before' ? steps : steps.toReversed()) await step()
    expect(await costs()).toEqual(['2.00', '1.00'])
    expect(await fixture.recipients(first)).toMatchObject([{ attempt: 2, cost: '2.00' }])
  },
)

test('keeps the cost of messages with an unknown outcome in the budget when they are sent again', async () => {
  const { world } = fixture
  const people = numbersOf(10, 15_551_217_000)
  for (const recipient of people) {
    world.simulator.swallowStatuses({ recipient, times: 3 })
    world.simulator.loseAnswer({ recipient })
  }
  const id = await fixture.draftFor(people, { budget: { amount: '11', currency: 'USD' } })
  await fixture.do(id, 'start')
  await world.settle()
  world.clock.advance({ minutes: 11 })
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', unknown_count: 10 })
  const firsts = await fixture.recipients(id)
  const spent = (): unknown =>
    world.rows('select spent_micros from campaign_counts where campaign_id = ?', id)
  const asMicros = (amount: number): unknown => [{ spent_micros: amount * 1_000_000 }]
  const pricing = { billable: true, pricing_model: 'PMP', category: 'marketing' }
  const settle = async (messageId: unknown, status: 'failed' | 'delivered'): Promise<void> => {
    const sent = world.simulator.messages.find(
      ({ body }) => (body as Loose)['biz_opaque_callback_data'] === messageId,
    )
    const how =
      status === 'delivered'
        ? { pricing }
        : { error: { code: 131_000, title: 'Failed', details: 'Failed' } }
    await deliver(
      world,
      statusTo(world, String(sent?.wamid), status, {
        facts: { ...how, callbackData: String(messageId) },
      }),
    )
  }
  const paused = (sent: number): Loose => ({
    status: 'paused',
    pause_reason: 'budget',
    sent_count: sent,
    pending_count: 10 - sent,
  })
  await fixture.do(id, 'retry-failed', { include_unknown: true })
  expect(spent()).toEqual(asMicros(10))
  expect(await fixture.run(id)).toMatchObject(paused(1))
  expect(spent()).toEqual(asMicros(11))

  // A former message that failed costs nothing, so one more person can be reached.
  const waiting = await fixture.recipients(id, '&status=pending')
  const formerOf = (recipient?: Loose): unknown =>
    firsts.find((one) => one['id'] === recipient?.['id'])?.['message_id']
  await settle(formerOf(waiting[0]), 'failed')
  expect(spent()).toEqual(asMicros(10))
  expect((await fixture.do(id, 'resume')).status).toBe(200)
  expect(await fixture.run(id)).toMatchObject(paused(2))

  // One that arrived is counted once, whichever of both is settled first.
  const again = (await fixture.recipients(id, '&status=sent')).find(
    (one) => one['id'] !== waiting[0]?.['id'],
  )
  await settle(formerOf(again), 'delivered')
  expect(spent()).toEqual(asMicros(11))
  await settle(again?.['message_id'], 'delivered')
  expect(spent()).toEqual(asMicros(11))
  expect(await fixture.campaign(id)).toMatchObject({ actual_cost: '2.00' })

  // One that arrives while its retry waits is the only one.
  const last = (await fixture.recipients(id, '&status=pending'))[0]
  await settle(formerOf(last), 'delivered')
  expect(spent()).toEqual(asMicros(11))
  expect(await fixture.campaign(id)).toMatchObject({ actual_cost: '3.00', pending_count: 7 })
  await fixture.do(id, 'cancel')
  expect(spent()).toEqual(asMicros(11))
  world.clock.advance({ hours: 48 })
  await world.settle()
  expect(spent()).toEqual(asMicros(11))
})

test('uses the price at the time of sending in template statistics', async () => {
  const templateId = await approvedTemplate(fixture.world, { name: 'dearer' })
  // Early in a day, so that the price changes within it.
  const intoDay = fixture.world.clock.nowMs() % 86_400_000
  fixture.world.clock.advance({ ms: 86_400_000 - intoDay + 3_600_000 })
  const send = async (first: number): Promise<void> => {
    const id = await fixture.draftFor(numbersOf(2, first), { template_id: templateId })
    await fixture.do(id, 'start')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
  }
  await send(15_551_220_000)
  setPrice(fixture.world, { micros: 2_000_000, fromMs: fixture.world.clock.nowMs() + 1_800_000 })
  fixture.world.clock.advance({ hours: 1 })
  await send(15_551_221_000)
  const { data } = await (await fixture.manager).get(`/api/templates/${templateId}/stats`)
  expect(data).toMatchObject({ sent: 4, cost: { amount: '6.00', currency: 'USD' } })
})
