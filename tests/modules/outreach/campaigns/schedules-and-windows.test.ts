import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { approvedTemplate, numbersOf, CampaignFixture, setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { changeRows } from '../../../support/sql'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const sentSoFar = (numbers: string[]): number =>
  fixture.world.simulator.messages.filter(({ body }) =>
    numbers.includes(String((body as Loose)['to']).slice(1)),
  ).length

describe('replies', () => {
  test('count for the message within 72 hours, and taps only on its own button', async () => {
    const [one = '', two = ''] = numbersOf(2, 15_550_800_000)
    const { data: before } = await (
      await fixture.manager
    ).post('/api/contacts', { phone_number: one })
    const id = await fixture.draftFor([one, two])
    await fixture.do(id, 'start')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    const messageOf = async (number: string): Promise<Loose> => {
      const row = (await fixture.recipients(id)).find(({ phone_number }) => phone_number === number)
      return (await (await fixture.manager).get(`/api/messages/${row?.['message_id']}`)).data
    }
    const phone = fixture.world.tenant.phoneId
    const ana = fixture.world.simulator.customer({ phone, waId: one })
    const ben = fixture.world.simulator.customer({ phone, waId: two })
    // The conversation has the message, and nobody has anything to read.
    const { data: contact } = await (await fixture.manager).get(`/api/contacts/${before['id']}`)
    expect(contact).toMatchObject({
      unread_count: 0,
      last_message_preview: expect.stringContaining('we have news'),
    })
    fixture.world.clock.advance({ seconds: 3 })
    await ana.tapsTemplate('more', 'More', { replyTo: 'wamid.ANOTHER' })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ replied_count: 1, clicked_count: 0 })
    const wamid = String((await messageOf(one))['wa_message_id'])
    await ana.tapsTemplate('more', 'More', { replyTo: wamid })
    await ana.tapsTemplate('more', 'More', { replyTo: wamid })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ replied_count: 1, clicked_count: 1 })
    fixture.world.clock.advance({ hours: 72, seconds: 10 })
    await ben.says('Too late')
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ replied_count: 1, clicked_count: 1 })
    const { data: funnel } = await (await fixture.manager).get(`/api/campaigns/${id}/funnel`)
    expect(
      (funnel['series'] as Loose[]).reduce((sum, { clicked }) => sum + Number(clicked), 0),
    ).toBe(1)
  })

  test('agents see campaign messages in their chats but not the campaign', async () => {
    const [number = ''] = numbersOf(1, 15_550_801_000)
    const { data: contact } = await (
      await fixture.manager
    ).post('/api/contacts', {
      phone_number: number,
      assigned_to: fixture.world.tenant.userIds.agent,
    })
    await (
      await fixture.world.as('admin')
    ).put(`/api/contacts/${contact['id']}/assign`, { user_id: fixture.world.tenant.userIds.agent })
    const id = await fixture.draftFor([number])
    await fixture.do(id, 'start')
    await fixture.run(id)
    const agent = await fixture.world.as('agent')
    const { data } = await agent.get(`/api/contacts/${contact['id']}/messages`)
    expect((data['items'] as Loose[]).map(({ source }) => source as unknown)).toEqual(['campaign'])
    for (const path of [
      '',
      `/${id}`,
      `/${id}/recipients`,
      `/${id}/progress`,
      `/${id}/funnel`,
      `/${id}/export`,
    ])
      expect(
        (await fetch(`${fixture.world.url}/api/campaigns${path}`, { headers: agent.headers }))
          .status,
      ).toBe(403)
  })
})

describe('retry', () => {
  test('retries retryable errors once, limited marketing after a day, and keeps the former message', async () => {
    const [capped = '', slow = '', gone = '', fine = ''] = numbersOf(4, 15_550_802_000)
    fixture.world.simulator.fail({ code: 131_049 }, { recipient: capped, times: 1 })
    fixture.world.simulator.fail({ code: 131_057 }, { recipient: slow, times: 20 })
    fixture.world.simulator.fail({ code: 131_026 }, { recipient: gone, times: 1 })
    const id = await fixture.draftFor([capped, slow, gone, fine], { error_threshold: 1 })
    await fixture.do(id, 'start')
    for (let step = 0; step < 40; step += 1) {
      await fixture.world.settle()
      fixture.world.clock.advance({ minutes: 1 })
    }
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'completed',
      failed_count: 3,
      sent_count: 1,
    })
    fixture.world.simulator.clearFaults()
    const errors = Object.fromEntries(
      (await fixture.recipients(id)).map((row) => [row['phone_number'], row['error']?.code]),
    )
    expect(errors).toMatchObject({ [capped]: 'marketing_limited', [gone]: 'recipient_unreachable' })
    expect(await fixture.recipients(id, '&error_code=marketing_limited')).toHaveLength(1)
    expect(
      (await fixture.do(id, 'retry-failed', { codes: ['marketing_limited'] })).body,
    ).toMatchObject({ code: 'nothing_to_retry' })
    expect((await fixture.do(id, 'retry-failed')).data).toEqual({
      retry_count: 1,
      status: 'sending',
    })
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      failed_count: 2,
      sent_count: 2,
    })
    fixture.world.clock.advance({ hours: 24 })
    expect(
      (
        await fixture.do(id, 'retry-failed', {
          codes: ['marketing_limited', 'recipient_unreachable'],
        })
      ).data,
    ).toEqual({
      retry_count: 2,
      status: 'sending',
    })
    // Unreachable recipients are left out by now.
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      failed_count: 0,
      sent_count: 3,
      skipped_count: 1,
    })
    const [again] = await fixture.recipients(id, `&search=${capped}`)
    expect(again).toMatchObject({ attempt: 2, error: null })
    expect(
      fixture.world.rows(
        'select attempt from campaign_sends where recipient_id = ? and message_id is not null',
        String(again?.['id']),
      ),
    ).toHaveLength(2)
  })
})

describe('sockets', () => {
  test('receive a campaign at most twice a second, always the last state, and no recipients', async () => {
    const socket = await fixture.world.socket('manager')
    const id = await fixture.draftFor(numbersOf(25, 15_550_803_000), { rate_limit: 10 })
    await fixture.do(id, 'start')
    for (let step = 0; step < 60; step += 1) {
      await fixture.world.settle()
      fixture.world.clock.advance({ ms: 100 })
      if (step === 10) await fixture.do(id, 'pause')
      if (step === 12) await fixture.do(id, 'resume')
    }
    await fixture.world.settle()
    const heard = await socket.caughtUp()
    const times = heard
      .filter(({ type, payload }) => type === 'campaign:progress' && payload['campaign_id'] === id)
      .map(({ at }) => Date.parse(at))
    for (const [index, atMs] of times.entries()) {
      const third = times[index + 2]
      if (third !== undefined) expect(third - atMs).toBeGreaterThanOrEqual(1_000)
    }
    expect(times.length).toBeGreaterThan(4)
    expect(heard.findLast(({ type }) => type === 'campaign:progress')?.payload).toMatchObject({
      status: 'completed',
      delivered_count: 25,
    })
    expect(
      heard.filter(
        ({ type, payload }) => type.startsWith('message:') && payload['campaign_id'] === id,
      ),
    ).toEqual([])
  })
})

describe('speed', () => {
  test('uses the full speed when nobody else sends, otherwise leaves a fifth of it', async () => {
    const { sqlite } = fixture.world.program.http.db
    changeRows(sqlite, "update accounts set throughput_level = 'COEXISTENCE' where id = ?", [
      fixture.world.tenant.accountId,
    ])
    const contact = await fixture.world.contactOf()
    const numbers = numbersOf(200, 15_550_804_000)
    const id = await fixture.draftFor(numbers)
    await fixture.do(id, 'start')
    await fixture.world.settle()
    const over = async (seconds: number, isBusy: boolean): Promise<number> => {
      const before = sentSoFar(numbers)
      for (let step = 0; step < seconds * 4; step += 1) {
        if (isBusy)
          await (
            await fixture.manager
          ).post(`/api/contacts/${contact['id']}/messages`, { type: 'text', text: `Step ${step}` })
        fixture.world.clock.advance({ ms: 250 })
        await fixture.world.settle()
      }
      return sentSoFar(numbers) - before
    }
    await over(1, false)
    expect(await over(1, false)).toBe(20)
    await over(4, true) // with what was left over before
    const shared = await over(2, true)
    expect(shared).toBeGreaterThanOrEqual(28)
    expect(shared).toBeLessThanOrEqual(32)
    await fixture.do(id, 'cancel')
    changeRows(sqlite, "update accounts set throughput_level = 'STANDARD' where id = ?", [
      fixture.world.tenant.accountId,
    ])
  })
})

describe('nightly check', () => {
  test('compares counters with recipients, logs differences and corrects them', async () => {
    setPrice(fixture.world, { micros: 30_000 })
    const id = await fixture.draftFor(numbersOf(3, 15_550_805_000))
    await fixture.do(id, 'start')
    await fixture.run(id)
    const { sqlite } = fixture.world.program.http.db
    const [one, other, third] = await fixture.recipients(id)
    for (const [set, person] of [
      ['clicked_at_ms = 1', one],
      ["status = 'failed'", other],
      ["status = 'unknown'", third],
    ] as const)
      changeRows(sqlite, `update campaign_recipients set ${set} where id = ?`, [
        String(person?.['id']),
      ])
    const right = await fixture.campaign(id)
    changeRows(
      sqlite,
      'update campaign_counts set delivered = delivered + 2, failed = failed + 1, replied = 7, actual_micros = 5 where campaign_id = ?',
      [id],
    )
    expect(await fixture.campaign(id)).not.toMatchObject({
      delivered_count: right['delivered_count'],
    })
    const { reads } = fixture.world.program.http
    const read = reads.text.bind(reads)
    reads.text = async (reader, ctx, query) => {
      const answer = await read(reader, ctx, query)
      if (reader.name === 'campaigns.compare-counts' && String(query) === id)
        changeRows(
          sqlite,
          'update campaign_recipients set replied_at_ms = 1 where campaign_id = ?',
          [id],
        )
      return answer
    }
    const untilNight = (27.5 * 3_600_000 - (fixture.world.clock.nowMs() % 86_400_000)) % 86_400_000
    fixture.world.clock.advance({ ms: untilNight + 60_000 })
    await fixture.world.settle()
    reads.text = read
    const { updated_at: _, ...is } = await fixture.campaign(id)
    const { updated_at: __, ...was } = right
    expect(is).toEqual({ ...was, replied_count: 3 }) // who replied meanwhile is counted too
    const told = fixture.world.logLines.filter(
      (line) => line.includes('campaign counter was wrong; corrected') && line.includes(id),
    )
    expect(told.map((line) => (JSON.parse(line) as Loose)['field'] as string).toSorted()).toEqual([
      'actualMicros',
      'delivered',
      'failed',
      'replied',
    ])
  })
})

const at = (iso: string): void =>
  fixture.world.clock.advance({ ms: Date.parse(iso) - fixture.world.clock.nowMs() })
const sent = async (id: string): Promise<unknown> => {
  await fixture.world.settle()
  return (await fixture.campaign(id))['sent_count']
}

describe('a send window past midnight', () => {
  test('is open after midnight only on the day after it begins', async () => {
    const days = (...names: string[]) => ({
      timezone: 'Europe/Madrid',
      send_window: { from: '22:00', to: '06:00', days: names },
    })
    // Sunday the 29th, 01:30 in Madrid: the span of Saturday is open, the one of Sunday has not
    // begun.
    at('2026-11-29T00:30:00Z')
    const ofSaturday = await fixture.draftFor(numbersOf(1, 15_550_811_000), days('sat'))
    const ofSunday = await fixture.draftFor(numbersOf(1, 15_550_812_000), days('sun'))
    await fixture.do(ofSaturday, 'start')
    await fixture.do(ofSunday, 'start')
    expect(await fixture.run(ofSaturday)).toMatchObject({ status: 'completed', sent_count: 1 })
    expect(await sent(ofSunday)).toBe(0)
    at('2026-11-29T20:59:59Z')
    expect(await sent(ofSunday)).toBe(0)
    at('2026-11-29T21:00:05Z')
    await sent(ofSunday)
    expect(await fixture.run(ofSunday)).toMatchObject({ status: 'completed', sent_count: 1 })
  })

  test('waits for the next evening when started after its end in the morning', async () => {
    // Monday the 30th, 06:00 in Madrid: the span of Sunday has just ended.
    at('2026-11-30T05:00:00Z')
    const id = await fixture.draftFor(numbersOf(1, 15_550_813_000), {
      timezone: 'Europe/Madrid',
      send_window: { from: '22:00', to: '06:00', days: ['sun', 'tue'] },
    })
    await fixture.do(id, 'start')
    expect(await sent(id)).toBe(0)
    at('2026-12-01T20:59:59Z')
    expect(await sent(id)).toBe(0)
    at('2026-12-02T01:00:00Z')
    await sent(id)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  })
})

describe('daylight saving time', () => {
  test('uses local time for send windows and an instant for scheduled starts', async () => {
    // The night in which clocks in Berlin jump from 2:00 to 3:00.
    fixture.world.clock.advance({ ms: Date.UTC(2027, 2, 27, 22) - fixture.world.clock.nowMs() })
    const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']
    const id = await fixture.draftFor(numbersOf(2, 15_550_806_000), {
      timezone: 'Europe/Berlin',
      send_window: { from: '02:30', to: '05:00', days },
    })
    const other = await fixture.draftFor(numbersOf(1, 15_550_807_000), {
      timezone: 'Europe/Berlin',
    })
    await fixture.do(other, 'schedule', {
      scheduled_at: '2027-03-28T02:30:00+01:00',
      timezone: 'Europe/Berlin',
    })
    expect(await fixture.campaign(other)).toMatchObject({
      scheduled_at: '2027-03-28T01:30:00.000Z',
    })
    await fixture.do(id, 'start')
    const states = async (): Promise<unknown[]> => {
      await fixture.world.settle()
      return [(await fixture.campaign(id))['sent_count'], (await fixture.campaign(other))['status']]
    }
    fixture.world.clock.advance({ ms: Date.UTC(2027, 2, 28, 1, 29) - fixture.world.clock.nowMs() })
    expect(await states()).toEqual([0, 'scheduled'])
    fixture.world.clock.advance({ minutes: 1, seconds: 5 })
    expect((await states())[1]).not.toBe('scheduled')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    expect(await fixture.run(other)).toMatchObject({ status: 'completed', sent_count: 1 })
    const { data: funnel } = await (
      await fixture.manager
    ).get(`/api/campaigns/${id}/funnel?interval=day`)
    expect(funnel['series']).toMatchObject([{ at: '2027-03-27T23:00:00.000Z', sent: 2 }])
  })

  test('ends a window past midnight by local time, an hour later or earlier', async () => {
    const night = (timezone: string) => ({
      timezone,
      send_window: { from: '22:00', to: '06:00', days: ['sat'] },
    })
    // 05:30 in Auckland, where it was 3:00 twice.
    at('2027-04-03T17:30:00Z')
    const longer = await fixture.draftFor(numbersOf(1, 15_550_814_000), night('Pacific/Auckland'))
    await fixture.do(longer, 'start')
    expect(await fixture.run(longer)).toMatchObject({ status: 'completed', sent_count: 1 })
    // 06:00 in Sydney, where it never was 2:00.
    at('2027-10-02T19:00:00Z')
    const shorter = await fixture.draftFor(numbersOf(1, 15_550_815_000), night('Australia/Sydney'))
    await fixture.do(shorter, 'start')
    expect(await sent(shorter)).toBe(0)
    at('2027-10-09T11:00:05Z')
    await sent(shorter)
    expect(await fixture.run(shorter)).toMatchObject({ status: 'completed', sent_count: 1 })
  })
})

test('withdraws unsent messages when the window closes, and sends them in the next one', async () => {
  at('2027-10-12T15:59:58Z')
  const numbers = numbersOf(4, 15_550_816_000)
  const id = await fixture.draftFor(numbers, {
    rate_limit: 1,
    timezone: 'UTC',
    send_window: { from: '08:00', to: '16:00', days: ['tue', 'wed'] },
  })
  await fixture.do(id, 'start')
  expect(await sent(id)).toBe(1)
  const claimed = (await fixture.recipients(id)).map(({ message_id }) => message_id as unknown)
  expect(claimed).not.toContain(null)
  // A job that finds the window open has nothing to withdraw.
  await fixture.do(id, 'pause')
  await fixture.do(id, 'resume')
  await fixture.world.settle()
  expect((await fixture.recipients(id)).map(({ message_id }) => message_id as unknown)).toEqual(
    claimed,
  )
  fixture.world.clock.advance({ seconds: 1 })
  expect(await sent(id)).toBe(2)
  at('2027-10-12T16:00:00Z')
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({
    status: 'sending',
    sent_count: 2,
    sending_count: 0,
    pending_count: 2,
  })
  expect(sentSoFar(numbers)).toBe(2)
  at('2027-10-13T08:00:00Z')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 4 })
  expect(numbers.map((number) => fixture.calls().get(number))).toEqual([1, 1, 1, 1])
})

test('resumes due campaigns despite many paused ones of another organization', async () => {
  const { world } = fixture
  const { sqlite } = world.program.http.db
  const resting = await fixture.draftFor(1)
  await fixture.do(resting, 'start', { now: true })
  await fixture.do(resting, 'pause')
  const template = await approvedTemplate(world, { tenant: world.other, name: 'theirs' })
  const theirs = await world.as('manager', world.other)
  const { data } = await theirs.post('/api/campaigns', {
    name: 'Theirs',
    account_id: world.other.accountId,
    template_id: template,
    variable_mapping: { '1': { value: 'x' } },
  })
  await theirs.post(`/api/campaigns/${data['id']}/recipients/import`, {
    recipients: [{ phone_number: '15550810001' }],
  })
  await theirs.post(`/api/campaigns/${data['id']}/start`, {})
  await theirs.post(`/api/campaigns/${data['id']}/pause`)
  await world.settle()
  const columns = world
    .rows<{ name: string }>("select name from pragma_table_info('campaigns') where name <> 'id'")
    .map(({ name }) => name)
  const kept = columns.join(', ')
  changeRows(
    sqlite,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 1100)
     insert into campaigns (id, ${kept}) select unhex(printf('0000%028x', i)), ${kept} from campaigns, n where id = ?`,
    [resting],
  )
  changeRows(
    sqlite,
    "update campaigns set pause_reason = 'quota', resumes_at_ms = ? where id = ?",
    [world.clock.nowMs() + 1_000, data['id'] as string],
  )
  world.clock.advance({ minutes: 2 })
  await world.settle()
  const { data: after } = await (
    await world.as('manager', world.other)
  ).get(`/api/campaigns/${data['id'] as string}`)
  expect(after['status']).not.toBe('paused')
  changeRows(sqlite, 'delete from campaigns where id like ?', [`${resting}-%`])
})
