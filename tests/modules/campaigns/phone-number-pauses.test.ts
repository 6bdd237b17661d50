import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { accountNews } from '../../simulator/coexistence'
import { numbersOf, Office } from '../../support/campaigns'
import type { Loose } from '../../support/client'
import { deliver, lineOf, secondsIn } from '../../support/lines'

let office: Office

beforeAll(async () => {
  office = await Office.open()
})

afterAll(() => office[Symbol.asyncDispose]())

const noticesOf = async (id: string): Promise<unknown[]> =>
  ((await (await office.manager).get('/api/me/notifications')).data['items'] as Loose[])
    .filter(({ kind, link }) => kind === 'campaign_paused' && link === `/campaigns/${id}`)
    .map(({ body }) => body as unknown)

const tell = async (value: Loose): Promise<void> => {
  office.world.clock.advance({ seconds: 2 })
  await deliver(
    office.world,
    accountNews('account_update', value, {
      line: lineOf(office.world.tenant),
      time: secondsIn(office.world),
    }),
  )
}

const restrict = (endsInS?: number): Promise<void> => {
  const expiration = endsInS === undefined ? {} : { expiration: secondsIn(office.world) + endsInS }
  const restriction_info = [
    { restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', ...expiration },
  ]
  return tell({ event: 'ACCOUNT_RESTRICTION', restriction_info })
}

/** A campaign that is sending, five a second; some of it has gone. */
async function underWay(first: number): Promise<string> {
  const id = await office.draftFor(numbersOf(9, first), { rate_limit: 5 })
  await office.do(id, 'start')
  await office.world.settle()
  expect(await office.campaign(id)).toMatchObject({ status: 'sending' })
  return id
}

const once = (first: number): unknown =>
  numbersOf(9, first).map((number) => office.calls().get(number))
const EACH_ONCE = Array.from({ length: 9 }, () => 1)

describe('a restriction without an end', () => {
  test('pauses campaigns, notifies once, and resumes them when it is lifted', async () => {
    const id = await underWay(15_550_910_000)
    await restrict()
    expect(await office.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
      sending_count: 0,
      failed_count: 0,
    })
    office.world.clock.advance({ hours: 5 })
    await office.world.settle()
    expect(await office.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    expect((await office.do(id, 'resume')).body).toMatchObject({ code: 'account_inactive' })
    expect(await noticesOf(id)).toHaveLength(1)
    await tell({ event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } })
    expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(once(15_550_910_000)).toEqual(EACH_ONCE)
  })

  test('follows a new or later end without a second notification or message', async () => {
    const id = await underWay(15_550_911_000)
    await restrict(600)
    await restrict()
    await restrict(7_200)
    office.world.clock.advance({ minutes: 30 })
    await office.world.settle()
    expect(await office.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    office.world.clock.advance({ minutes: 93 })
    expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(await noticesOf(id)).toHaveLength(1)
    expect(once(15_550_911_000)).toEqual(EACH_ONCE)
  })

  test('pauses a scheduled start, and does not resume a campaign paused by a user', async () => {
    const people = numbersOf(2, 15_550_912_000)
    const id = await office.draftFor(people)
    const own = await underWay(15_550_913_000)
    await office.do(own, 'pause')
    const scheduled_at = new Date(office.world.clock.nowMs() + 60_000).toISOString()
    expect((await office.do(id, 'schedule', { scheduled_at })).status).toBe(200)
    await restrict()
    office.world.clock.advance({ minutes: 2 })
    await office.world.settle()
    expect(await office.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'restriction',
    })
    expect((await office.do(await office.draftFor(['15550914000']), 'start')).body).toMatchObject({
      code: 'account_inactive',
    })
    await tell({ event: 'ACCOUNT_RECONNECTED' })
    expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 2 })
    expect(await office.campaign(own)).toMatchObject({ status: 'paused', pause_reason: 'user' })
    await office.do(own, 'cancel')
  })
})

describe('a phone number paused by a user', () => {
  const outbox = async (verb: 'pause' | 'resume'): Promise<void> => {
    const answer = await (
      await office.world.as('admin')
    ).post(`/api/outbox/${verb}`, { account_id: office.world.tenant.accountId })
    expect(answer.status).toBe(200)
    await office.world.settle()
  }

  test('pauses its campaigns, withdraws claimed messages, and allows a resume', async () => {
    const id = await underWay(15_550_920_000)
    const before = office.world.simulator.messages.length
    await outbox('pause')
    expect(await office.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'account',
      sending_count: 0,
      failed_count: 0,
    })
    expect(await noticesOf(id)).toEqual([expect.stringContaining('paused')])
    office.world.clock.advance({ minutes: 10 })
    await office.world.settle()
    expect(office.world.simulator.messages.length).toBe(before)
    expect((await office.do(id, 'resume')).body).toMatchObject({
      status: 'error',
      code: 'account_inactive',
    })
    await outbox('resume')
    expect(await office.campaign(id)).toMatchObject({ status: 'paused', pause_reason: 'account' })
    expect((await office.do(id, 'resume')).status).toBe(200)
    expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 9 })
    expect(once(15_550_920_000)).toEqual(EACH_ONCE)
  })

  test('rejects a start, warns in a dry run, and pauses a scheduled start', async () => {
    const id = await office.draftFor(numbersOf(2, 15_550_921_000))
    const scheduled_at = new Date(office.world.clock.nowMs() + 60_000).toISOString()
    const later = await office.draftFor(numbersOf(2, 15_550_922_000))
    await office.do(later, 'schedule', { scheduled_at })
    await outbox('pause')
    expect((await office.do(id, 'start')).body).toMatchObject({ code: 'account_inactive' })
    expect((await office.do(id, 'dry-run')).data['warnings']).toContainEqual(
      expect.stringContaining('paused'),
    )
    office.world.clock.advance({ minutes: 2 })
    await office.world.settle()
    expect(await office.campaign(later)).toMatchObject({
      status: 'paused',
      pause_reason: 'account',
      sent_count: 0,
    })
    await outbox('resume')
    expect((await office.do(later, 'resume')).status).toBe(200)
    expect(await office.run(later)).toMatchObject({ status: 'completed', sent_count: 2 })
  })
})
