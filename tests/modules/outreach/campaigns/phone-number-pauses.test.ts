import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { accountNews } from '../../../../src/simulator/coexistence'
import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, lineOf, secondsIn } from '../../../support/lines'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
})

afterAll(() => fixture[Symbol.asyncDispose]())

const noticesOf = async (id: string): Promise<unknown[]> =>
  ((await (await fixture.manager).get('/api/me/notifications')).data['items'] as Loose[])
    .filter(({ kind, link }) => kind === 'campaign_paused' && link === `/campaigns/${id}`)
    .map(({ body }) => body as unknown)

const tell = async (value: Loose): Promise<void> => {
  fixture.world.clock.advance({ seconds: 2 })
  await deliver(
    fixture.world,
    accountNews('account_update', value, {
      line: lineOf(fixture.world.tenant),
      time: secondsIn(fixture.world),
    }),
  )
}

const restrict = (endsInS?: number): Promise<void> => {
  const expiration = endsInS === undefined ? {} : { expiration: secondsIn(fixture.world) + endsInS }
  const restriction_info = [
    { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', ...expiration },
  ]
  return tell({ event: 'ACCOUNT_RESTRICTION', restriction_info })
}

/** A campaign that is sending, five a second; some of it has gone. */
async function underWay(first: number): Promise<string> {
  const id = await fixture.draftFor(numbersOf(9, first), { rate_limit: 5 })
  await fixture.do(id, 'start')
  await fixture.world.settle()
  expect(await fixture.campaign(id)).toMatchObject({ status: 'sending' })
  return id
}

const once = (first: number): unknown =>
  numbersOf(9, first).map((number) => fixture.calls().get(number))
const EACH_ONCE = Array.from({ length: 9 }, () => 1)

describe('a restriction without an end', () => {
  test('pauses campaigns, notifies once, and resumes them when it is lifted', async () => {
    const id = await underWay(15_550_910_000)
    await restrict()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
      sending_count: 0,
      failed_count: 0,
    })
    fixture.world.clock.advance({ hours: 5 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'account_inactive' })
    expect(await noticesOf(id)).toHaveLength(1)
    await tell({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(once(15_550_910_000)).toEqual(EACH_ONCE)
  })

  test('follows a new or later end without a second notification or message', async () => {
    const id = await underWay(15_550_911_000)
    await restrict(600)
    await restrict()
    await restrict(7_200)
    fixture.world.clock.advance({ minutes: 30 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    fixture.world.clock.advance({ minutes: 93 })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(await noticesOf(id)).toHaveLength(1)
    expect(once(15_550_911_000)).toEqual(EACH_ONCE)
  })

  test('pauses a scheduled start, and does not resume a campaign paused by a user', async () => {
    const people = numbersOf(2, 15_550_912_000)
    const id = await fixture.draftFor(people)
    const own = await underWay(15_550_913_000)
    await fixture.do(own, 'pause')
    const scheduled_at = new Date(fixture.world.clock.nowMs() + 60_000).toISOString()
    expect((await fixture.do(id, 'schedule', { scheduled_at })).status).toBe(200)
    await restrict()
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    expect((await fixture.do(await fixture.draftFor(['15550914000']), 'start')).body).toMatchObject(
      {
        code: 'account_inactive',
      },
    )
    await tell({ event: 'ACCOUNT_RECONNECTED' })
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    expect(await fixture.campaign(own)).toMatchObject({ status: 'paused', pause_reason: 'user' })
    await fixture.do(own, 'cancel')
  })
})

describe('a phone number paused by a user', () => {
  const outbox = async (verb: 'pause' | 'resume'): Promise<void> => {
    const answer = await (
      await fixture.world.as('admin')
    ).post(`/api/outbox/${verb}`, { account_id: fixture.world.tenant.accountId })
    expect(answer.status).toBe(200)
    await fixture.world.settle()
  }

  test('pauses its campaigns, withdraws claimed messages, and allows a resume', async () => {
    const id = await underWay(15_550_920_000)
    const before = fixture.world.simulator.messages.length
    await outbox('pause')
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'account',
      sending_count: 0,
      failed_count: 0,
    })
    expect(await noticesOf(id)).toEqual([expect.stringContaining('paused')])
    fixture.world.clock.advance({ minutes: 10 })
    await fixture.world.settle()
    expect(fixture.world.simulator.messages.length).toBe(before)
    expect((await fixture.do(id, 'resume')).body).toMatchObject({
      status: 'error',
      code: 'account_inactive',
    })
    await outbox('resume')
    expect(await fixture.campaign(id)).toMatchObject({ status: 'paused', pause_reason: 'account' })
    expect((await fixture.do(id, 'resume')).status).toBe(200)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(once(15_550_920_000)).toEqual(EACH_ONCE)
  })

  test('rejects a start, warns in a dry run, and pauses a scheduled start', async () => {
    const id = await fixture.draftFor(numbersOf(2, 15_550_921_000))
    const scheduled_at = new Date(fixture.world.clock.nowMs() + 60_000).toISOString()
    const later = await fixture.draftFor(numbersOf(2, 15_550_922_000))
    await fixture.do(later, 'schedule', { scheduled_at })
    await outbox('pause')
    expect((await fixture.do(id, 'start')).body).toMatchObject({ code: 'account_inactive' })
    expect((await fixture.do(id, 'dry-run')).data['warnings']).toContainEqual(
      expect.stringContaining('paused'),
    )
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(later)).toMatchObject({
      status: 'paused',
      pause_reason: 'account',
      sent_count: 0,
    })
    await outbox('resume')
    expect((await fixture.do(later, 'resume')).status).toBe(200)
    expect(await fixture.run(later)).toMatchObject({ status: 'completed', sent_count: 2 })
  })
})

describe('a missing payment method', () => {
  const line = () => fixture.world.tenant
  const change = (facts: Loose): void =>
    void fixture.world.simulator.addPhone({ ...facts, id: line().phoneId })
  const post = async (verb: 'test' | 'resume', accountId = line().accountId) => {
    const answer = await (
      await fixture.world.as('admin')
    ).post(`/api/accounts/${accountId}/${verb}`)
    await fixture.world.settle()
    return answer
  }
  const BROKEN = [{ error_code: 141_006, error_description: 'Add a payment method.' }]
  const PAUSED = { status: 'paused', pause_reason: 'funding', sending_count: 0, failed_count: 0 }

  test('found by a refused message pauses the campaigns of the number, and lets them go on once there is one', async () => {
    const id = await underWay(15_550_950_000)
    change({ unpaid: 'fails' })
    expect(await fixture.run(id)).toMatchObject(PAUSED)
    const [notice] = await noticesOf(id)
    expect(notice).toStartWith('The phone number has no payment method')
    expect((await fixture.do(id, 'resume')).body).toMatchObject({ code: 'payment_required' })
    expect((await fixture.do(id, 'dry-run')).data['warnings']).toContainEqual(
      expect.stringContaining('no payment method'),
    )
    fixture.world.clock.advance({ hours: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject(PAUSED)
    change({ unpaid: 'no' })
    await post('resume')
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(await noticesOf(id)).toHaveLength(1)
    // Each person got one message; the refused one was tried again.
    const refused = numbersOf(9, 15_550_950_000).filter(
      (number) => (fixture.calls().get(number) ?? 0) !== 1,
    )
    expect(refused).toEqual([])
  })

  test('holds new and scheduled starts, and only those of its number', async () => {
    const second = await (
      await fixture.world.as('admin')
    ).post('/api/accounts', {
      name: 'Second',
      phone_id: fixture.world.simulator.addPhone({
        wabaId: line().wabaId,
        token: line().token,
      }).id,
      business_id: line().wabaId,
      access_token: line().token,
    })
    const neighbor = String(second.data['id'])
    const scheduled = await fixture.draftFor(numbersOf(2, 15_550_951_000))
    const started = await fixture.draftFor(numbersOf(2, 15_550_952_000))
    const paused = await underWay(15_550_953_000)
    await fixture.do(paused, 'pause')
    const scheduled_at = new Date(fixture.world.clock.nowMs() + 60_000).toISOString()
    change({ businessErrors: BROKEN })
    await post('test')
    expect((await fixture.do(scheduled, 'schedule', { scheduled_at })).status).toBe(200)
    expect(await fixture.do(started, 'start')).toMatchObject({ status: 200, data: PAUSED })
    fixture.world.clock.advance({ minutes: 2 })
    await fixture.world.settle()
    expect(await fixture.campaign(scheduled)).toMatchObject(PAUSED)
    expect(await fixture.campaign(started)).toMatchObject(PAUSED)
    expect(await noticesOf(started)).toHaveLength(1)
    const there = await fixture.draftFor(numbersOf(2, 15_550_954_000), { account_id: neighbor })
    expect(await fixture.do(there, 'start')).toMatchObject({ data: PAUSED })
    // What a number learns holds for all numbers of its business account.
    change({ businessErrors: [] })
    await post('test', neighbor)
    for (const id of [scheduled, started, there])
      expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    expect(await fixture.campaign(paused)).toMatchObject({ status: 'paused', pause_reason: 'user' })
    await fixture.do(paused, 'cancel')
  })

  test('of another business account holds nothing', async () => {
    const admin = await fixture.world.as('admin')
    const strange = fixture.world.simulator.addPhone({
      wabaId: '209000000000009',
      token: 'strange',
      businessErrors: BROKEN,
    })
    const made = await admin.post('/api/accounts', {
      name: 'Strange',
      phone_id: strange.id,
      business_id: strange.wabaId,
      access_token: 'strange',
    })
    expect(made.data['funding']).toMatchObject({ state: 'missing' })
    const id = await underWay(15_550_955_000)
    expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
  })

  test('that is only not known holds nothing', async () => {
    await using own = await CampaignFixture.open()
    const fundingOf = async (): Promise<unknown> =>
      (await (await own.manager).get(`/api/accounts/${own.world.tenant.accountId}`)).data['funding']
    own.world.simulator.swallowStatuses({ times: 2 })
    expect(await fundingOf()).toMatchObject({ state: 'unknown', source: null })
    const id = await own.draftFor(2)
    await own.do(id, 'start')
    await own.world.settle()
    expect(await own.campaign(id)).toMatchObject({ pause_reason: null, sent_count: 2 })
    expect(await fundingOf()).toMatchObject({ state: 'unknown', source: null })
  })
})
