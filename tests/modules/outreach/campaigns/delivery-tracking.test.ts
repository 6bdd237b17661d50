import { afterAll, beforeAll, expect, test } from 'bun:test'

import fc from 'fast-check'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Client, Loose } from '../../../support/client'
import { personWith } from '../../../support/people'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const STATUSES = ['sent', 'delivered', 'read', 'failed'] as const

/** A webhook with one status of a message, as the platform words it. */
const statusOf = (
  waMessageId: string,
  status: (typeof STATUSES)[number],
  recipient: string,
): Loose => {
  const { wabaId, phoneId } = fixture.world.tenant
  const timestamp = String(
    Math.floor(fixture.world.clock.nowMs() / 1_000) + STATUSES.indexOf(status),
  )
  const errors =
    status === 'failed' ? { errors: [{ code: 131_026, title: 'Message undeliverable' }] } : {}
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '15550100001', phone_number_id: phoneId },
    statuses: [{ id: waMessageId, status, timestamp, recipient_id: recipient, ...errors }],
  }
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: wabaId, changes: [{ field: 'messages', value }] }],
  }
}

const COUNTERS = [
  'sent_count',
  'delivered_count',
  'read_count',
  'failed_count',
  'unknown_count',
  'pending_count',
  'total_recipients',
] as const

/**
 * Sends a campaign to four people whose statuses the platform does not report by itself. Returns it
 * with its messages.
 */
async function silentCampaign(
  first: number,
): Promise<{ id: string; messages: { wa: string; number: string }[] }> {
  const numbers = numbersOf(4, first)
  for (const number of numbers) fixture.world.simulator.followWith([], { recipient: number })
  const id = await fixture.draftFor(numbers, { error_threshold: 1 })
  await fixture.do(id, 'start')
  await fixture.run(id)
  const rows = fixture.world.rows<{ wa: string; number: string }>(
    `select m.wa_message_id as wa, r.phone_number as number from campaign_recipients r
     join campaign_sends s on s.recipient_id = r.id and s.campaign_id = r.campaign_id join messages m on m.id = s.message_id where r.campaign_id = ? order by r.id`,
    id,
  )
  return { id, messages: rows }
}

test('counts the same for statuses in any order and repeated', async () => {
  const facts = [
    ['sent'],
    ['sent', 'delivered'],
    ['sent', 'delivered', 'read'],
    ['sent', 'failed'],
  ] as const
  const outcomes = new Set<string>()
  let first = 15_550_400_000
  await fc.assert(
    fc.asyncProperty(
      fc.shuffledSubarray(
        Array.from({ length: 24 }, (_, nth) => nth),
        { minLength: 24 },
      ),
      async (order) => {
        first += 100
        const { id, messages } = await silentCampaign(first)
        const told = facts.flatMap((statuses, nth) => statuses.map((status) => ({ nth, status })))
        const tripled = [...told, ...told, ...told]
        for (const place of order) {
          const { nth, status } = tripled[place] ?? { nth: 0, status: 'sent' as const }
          const message = messages[nth]
          if (message)
            await fixture.world.simulator.post(statusOf(message.wa, status, message.number))
        }
        await fixture.world.settle()
        const campaign = await fixture.campaign(id)
        outcomes.add(JSON.stringify(COUNTERS.map((name) => campaign[name])))
      },
    ),
    { numRuns: 4, seed: 7 },
  )
  expect([...outcomes].map((text) => JSON.parse(text) as number[])).toEqual([[4, 2, 1, 1, 0, 0, 4]])
})

test('counts replies and button taps, and publishes the counters', async () => {
  const number = '15550490001'
  const id = await fixture.draftFor([number])
  const socket = await fixture.world.socket('manager')
  await fixture.do(id, 'start')
  await fixture.run(id)
  const customer = fixture.world.simulator.customer({
    phone: fixture.world.tenant.phoneId,
    waId: number,
  })
  fixture.world.clock.advance({ seconds: 3 })
  await customer.says('Tell me more')
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ replied_count: 1, clicked_count: 0 })
  const other = await fixture.draftFor(['15550490099'])
  const { client: reader } = await personWith(fixture.world, [
    'contacts:read',
    'contacts:read_all',
    'messages:read',
  ])
  const manager = await fixture.world.as('manager')
  const repliesTo = async (campaign: string, client: Client): Promise<number[]> => {
    const { data } = await client.get(`/api/conversations?campaign_id=${campaign}`)
    const counts = await client.get(`/api/conversations/counts?campaign_id=${campaign}`)
    const { open, pending, snoozed, closed } = counts.data as Record<string, number>
    const counted = [open, pending, snoozed, closed].reduce<number>((sum, n = NaN) => sum + n, 0)
    return [(data['items'] as unknown[]).length, Number(data['total']), counted]
  }
  expect(await repliesTo(id, manager)).toEqual([1, 1, 1])
  expect(await repliesTo(other, manager)).toEqual([0, 0, 0])
  // who may not read campaigns does not learn who replied to one
  expect(await repliesTo(id, reader)).toEqual([0, 0, 0])
  expect((await reader.get('/api/conversations')).data['total']).toBeGreaterThan(0)
  fixture.world.clock.advance({ seconds: 2 })
  await fixture.world.settle()
  const frames = (await socket.caughtUp()).filter(
    ({ type, payload }) => type === 'campaign:progress' && payload['campaign_id'] === id,
  )
  expect(frames.at(-1)?.payload).toMatchObject({
    replied_count: 1,
    campaign_id: id,
    status: 'completed',
    total_recipients: 1,
    sent_count: 1,
  })
  const agent = await fixture.world.as('agent')
  expect((await agent.get(`/api/campaigns/${id}`)).status).toBe(403)
})

test('counts a reply for the campaign it quotes, also the older of two, and otherwise for the newer', async () => {
  const number = '15550490002'
  const { world } = fixture
  const sent = async (): Promise<{ id: string; wa: string }> => {
    const id = await fixture.draftFor([number])
    await fixture.do(id, 'start')
    await fixture.run(id)
    world.clock.advance({ minutes: 1 })
    const [row] = world.rows<{ wa: string }>(
      'select m.wa_message_id as wa from campaign_sends s join messages m on m.id = s.message_id where s.campaign_id = ?',
      id,
    )
    return { id, wa: row?.wa ?? '' }
  }
  const [older, newer] = [await sent(), await sent()]
  const replies = async (): Promise<unknown[]> =>
    [await fixture.campaign(older.id), await fixture.campaign(newer.id)].map(
      (campaign) => campaign['replied_count'] as unknown,
    )
  const customer = world.simulator.customer({ phone: world.tenant.phoneId, waId: number })
  await customer.says('About the first one', { replyTo: older.wa })
  await world.settle()
  expect(await replies()).toEqual([1, 0])
  await customer.says('Thank you')
  await world.settle()
  expect(await replies()).toEqual([1, 1])
})

test('counts a reply and an opt-out for the newer of two campaigns that were accepted at once', async () => {
  const { world } = fixture
  const [replies, quotes] = ['15550490004', '15550490005']
  for (const number of [replies, quotes])
    world.simulator.swallowStatuses({ recipient: number, times: 2 })
  const campaigns = [await fixture.draft({ name: 'Older' }), await fixture.draft({ name: 'Newer' })]
  // The older one gets its recipients last, so that the order of its rows decides nothing.
  const people = [{ phone_number: replies }, { phone_number: quotes }]
  for (const id of campaigns.toReversed())
    await fixture.do(id, 'recipients/import', { recipients: people })
  for (const id of campaigns) {
    await fixture.do(id, 'start')
    await world.settle()
  }
  const recipients = async (number: string): Promise<Loose[]> =>
    (await Promise.all(campaigns.map((id) => fixture.recipients(id, `&search=${number}`)))).flat()
  const times = (await recipients(replies)).map(({ sent_at }) => sent_at as string)
  expect(times).toEqual([times[0] ?? '', times[0] ?? ''])
  const customer = (waId: string) => world.simulator.customer({ phone: world.tenant.phoneId, waId })
  const { waMessageId } = await messageTo((await recipients(quotes))[0])
  await customer(quotes).says('About the older', { replyTo: waMessageId })
  await customer(replies).says('STOP')
  await world.settle()
  const repliedTo = async (number: string): Promise<boolean[]> =>
    (await recipients(number)).map(({ replied_at }) => replied_at !== null)
  expect([await repliedTo(replies), await repliedTo(quotes)]).toEqual([
    [false, true],
    [true, false],
  ])
  const { data } = await (await fixture.manager).get('/api/analytics/campaigns')
  const optOuts = new Map(
    (data['items'] as Loose[]).map((one) => [
      one['campaign_id'] as string,
      one['opt_outs'] as number,
    ]),
  )
  expect(campaigns.map((id) => optOuts.get(id))).toEqual([0, 1])
})

/** The platform's ID of the message to a recipient. */
async function messageTo(recipient: Loose | undefined): Promise<{ waMessageId: string }> {
  const manager = await fixture.manager
  const { data } = await manager.get(`/api/messages/${String(recipient?.['message_id'])}`)
  return { waMessageId: String(data['wa_message_id']) }
}

test('counts a reply in the second in which the message was accepted', async () => {
  const number = '15550490003'
  const { world } = fixture
  const id = await fixture.draftFor([number])
  world.clock.advance({ ms: 1_500 - (world.clock.nowMs() % 1_000) })
  world.simulator.swallowStatuses({ recipient: number })
  await fixture.do(id, 'start')
  await world.settle()
  // The platform's times are whole seconds: the reply seems to come half a second too early.
  await world.simulator.customer({ phone: world.tenant.phoneId, waId: number }).says('At once')
  await world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ sent_count: 1, replied_count: 1 })
})

test('still records the delivery of messages of a deleted campaign', async () => {
  const { id, messages } = await silentCampaign(15_550_492_000)
  const manager = await fixture.manager
  const [message] = messages
  const [recipient] = await fixture.recipients(id, `&search=${message?.number}`)
  expect((await manager.delete(`/api/campaigns/${id}`)).status).toBe(200)
  const told = statusOf(message?.wa ?? '', 'delivered', message?.number ?? '')
  const [status] = told['entry'][0].changes[0].value.statuses as Loose[]
  if (status) status['pricing'] = { billable: true, pricing_model: 'PMP', category: 'marketing' }
  await fixture.world.simulator.post(told)
  await fixture.world.settle()
  expect((await manager.get(`/api/messages/${recipient?.['message_id']}`)).data).toMatchObject({
    status: 'delivered',
  })
  expect((await manager.get(`/api/campaigns/${id}`)).status).toBe(404)
})

test('marks messages without an answer as unknown and retries them only on request', async () => {
  const [number = ''] = numbersOf(1, 15_550_491_000)
  fixture.world.simulator.answerHtml(502, { recipient: number })
  const id = await fixture.draftFor([number])
  await fixture.do(id, 'start')
  await fixture.world.settle()
  fixture.world.clock.advance({ minutes: 11 })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    unknown_count: 1,
    sent_count: 0,
  })
  expect((await fixture.do(id, 'retry-failed', {})).body).toMatchObject({
    code: 'nothing_to_retry',
  })
  expect((await fixture.do(id, 'retry-failed', { include_unknown: true })).data).toEqual({
    retry_count: 1,
    status: 'sending',
  })
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    unknown_count: 0,
    sent_count: 1,
  })
  expect(await fixture.recipients(id)).toMatchObject([
    { attempt: 2, status: expect.stringMatching(/sent|delivered|read/) as string },
  ])
})
