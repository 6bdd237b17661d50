import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { deliver, statusTo } from '../../../support/lines'

let fixture: CampaignFixture
let first = 15_550_650_000

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  fixture.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => fixture[Symbol.asyncDispose]())

/** What the platform says of messages that are worth another try. */
const FAILED = 131_026

const tell = (wa: string, status: string): Promise<void> =>
  deliver(
    fixture.world,
    statusTo(
      fixture.world,
      wa,
      status,
      status === 'failed'
        ? { facts: { error: { code: FAILED, title: 'Failed', details: 'Failed' } } }
        : {},
    ),
  )

/** The platform's ids of a campaign's messages, by attempt. */
const attemptsOf = (id: string): string[] =>
  fixture.world
    .rows<{ wa: string }>(
      'select m.wa_message_id as wa from campaign_sends s join messages m on m.id = s.message_id where s.campaign_id = ? order by s.attempt',
      id,
    )
    .map(({ wa }) => wa)

/** A campaign for one person whose first message failed, paused or not before it is tried again. */
async function failedOnce(): Promise<{ id: string; former: string }> {
  first += 10
  const id = await fixture.draftFor(numbersOf(1, first), { error_threshold: 1 })
  await fixture.do(id, 'start')
  await fixture.run(id)
  const [former = ''] = attemptsOf(id)
  await tell(former, 'failed')
  expect(await standing(id)).toMatchObject({ failed_count: 1, recipient: 'failed' })
  return { id, former }
}

async function standing(id: string): Promise<Loose> {
  const campaign = await fixture.campaign(id)
  const [recipient] = await fixture.recipients(id)
  const { sent_count, delivered_count, read_count, failed_count, pending_count, status } = campaign
  return {
    sent_count,
    delivered_count,
    read_count,
    failed_count,
    pending_count,
    status,
    recipient: recipient?.['status'] as string,
  }
}

async function tryAgain(id: string): Promise<void> {
  const [recipient] = await fixture.recipients(id, '&status=failed')
  fixture.world.program.http.db.sqlite.run('update contacts set undeliverable_since_ms = null')
  const { data } = await fixture.do(id, 'retry-failed', {
    codes: [recipient?.['error']?.code as string],
  })
  expect(data).toMatchObject({ retry_count: 1 })
}

describe('a late status of a former attempt', () => {
  test.each(['failed', 'delivered', 'read'])(
    '(%s) changes nothing after the next message was accepted',
    async (status) => {
      const { id, former } = await failedOnce()
      await tryAgain(id)
      await fixture.run(id)
      expect(attemptsOf(id)).toHaveLength(2)
      const before = await standing(id)
      expect(before).toMatchObject({
        status: 'completed',
        sent_count: 1,
        delivered_count: 0,
        failed_count: 0,
        recipient: 'sent',
      })
      fixture.world.clock.advance({ seconds: 5 })
      await tell(former, status)
      expect(await standing(id)).toEqual(before)
      await tell(attemptsOf(id)[1] ?? '', 'read')
      expect(await standing(id)).toMatchObject({
        read_count: 1,
        failed_count: 0,
        recipient: 'read',
      })
      await tell(former, 'failed')
      expect(await standing(id)).toMatchObject({
        read_count: 1,
        failed_count: 0,
        recipient: 'read',
      })
    },
  )

  test('changes nothing once the recipient was canceled or skipped', async () => {
    const { id, former } = await failedOnce()
    const { id: canceled, former: alsoFormer } = await failedOnce()
    // Nobody sends to a number that cannot be reached: the retry skips it.
    await fixture.do(id, 'retry-failed', { codes: ['recipient_unreachable'] })
    await fixture.run(id)
    expect((await standing(id))['recipient']).toBe('skipped')
    await fixture.do(canceled, 'retry-failed', { codes: ['recipient_unreachable'] })
    await fixture.do(canceled, 'cancel')
    expect((await standing(canceled))['recipient']).toBe('cancelled')
    for (const [campaign, message] of [
      [id, former],
      [canceled, alsoFormer],
    ] as const) {
      const before = await standing(campaign)
      for (const status of ['failed', 'delivered', 'read']) {
        await tell(message, status)
        expect(await standing(campaign)).toEqual(before)
      }
    }
  })

  test('ignores a failure while a retry is pending, and cancels the retry on delivery', async () => {
    first += 10
    const id = await fixture.draftFor(numbersOf(2, first), { error_threshold: 1, rate_limit: 1 })
    await fixture.do(id, 'start')
    await fixture.world.settle()
    await fixture.do(id, 'pause')
    await fixture.world.settle()
    const [former = ''] = attemptsOf(id)
    await tell(former, 'failed')
    await tryAgain(id)
    const waiting = await standing(id)
    expect(waiting).toMatchObject({ status: 'paused', pending_count: 2, failed_count: 0 })
    await deliver(
      fixture.world,
      statusTo(fixture.world, former, 'failed', {
        facts: { error: { code: 131_049, title: 'Again', details: 'Again' } },
      }),
    )
    expect(await standing(id)).toEqual(waiting)
    await tell(former, 'delivered')
    expect(await standing(id)).toMatchObject({
      pending_count: 1,
      delivered_count: 1,
      failed_count: 0,
    })
    await fixture.do(id, 'resume')
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 2,
      delivered_count: 1,
    })
    expect(
      [...fixture.calls()]
        .filter(([number]) => numbersOf(2, first).includes(number))
        .map(([, calls]) => calls),
    ).toEqual([1, 1])
  })
})
