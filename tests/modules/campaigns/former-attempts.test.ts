import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { numbersOf, Office } from '../../support/campaigns'
import type { Loose } from '../../support/client'
import { deliver, statusTo } from '../../support/lines'

let office: Office
let first = 15_550_650_000

beforeAll(async () => {
  office = await Office.open()
  office.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => office[Symbol.asyncDispose]())

/** What the platform says of messages that are worth another try. */
const FAILED = 131_026

const tell = (wa: string, status: string): Promise<void> =>
  deliver(
    office.world,
    statusTo(
      office.world,
      wa,
      status,
      status === 'failed'
        ? { facts: { error: { code: FAILED, title: 'Failed', details: 'Failed' } } }
        : {},
    ),
  )

/** The platform's ids of a campaign's messages, by attempt. */
const attemptsOf = (id: string): string[] =>
  office.world
    .rows<{ wa: string }>(
      'select m.wa_message_id as wa from campaign_sends s join messages m on m.id = s.message_id where s.campaign_id = ? order by s.attempt',
      id,
    )
    .map(({ wa }) => wa)

/** A campaign for one person whose first message failed, paused or not before it is tried again. */
async function failedOnce(): Promise<{ id: string; former: string }> {
  first += 10
  const id = await office.draftFor(numbersOf(1, first), { error_threshold: 1 })
  await office.do(id, 'start')
  await office.run(id)
  const [former = ''] = attemptsOf(id)
  await tell(former, 'failed')
  expect(await standing(id)).toMatchObject({ failed_count: 1, recipient: 'failed' })
  return { id, former }
}

async function standing(id: string): Promise<Loose> {
  const campaign = await office.campaign(id)
  const [recipient] = await office.recipients(id)
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
  const [recipient] = await office.recipients(id, '&status=failed')
  office.world.program.http.db.sqlite.run('update contacts set undeliverable_since_ms = null')
  const { data } = await office.do(id, 'retry-failed', {
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
      await office.run(id)
      expect(attemptsOf(id)).toHaveLength(2)
      const before = await standing(id)
      expect(before).toMatchObject({
        status: 'completed',
        sent_count: 1,
        delivered_count: 0,
        failed_count: 0,
        recipient: 'sent',
      })
      office.world.clock.advance({ seconds: 5 })
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
    await office.do(id, 'retry-failed', { codes: ['recipient_unreachable'] })
    await office.run(id)
    expect((await standing(id))['recipient']).toBe('skipped')
    await office.do(canceled, 'retry-failed', { codes: ['recipient_unreachable'] })
    await office.do(canceled, 'cancel')
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
    const id = await office.draftFor(numbersOf(2, first), { error_threshold: 1, rate_limit: 1 })
    await office.do(id, 'start')
    await office.world.settle()
    await office.do(id, 'pause')
    await office.world.settle()
    const [former = ''] = attemptsOf(id)
    await tell(former, 'failed')
    await tryAgain(id)
    const waiting = await standing(id)
    expect(waiting).toMatchObject({ status: 'paused', pending_count: 2, failed_count: 0 })
    await deliver(
      office.world,
      statusTo(office.world, former, 'failed', {
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
    await office.do(id, 'resume')
    expect(await office.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 2,
      delivered_count: 1,
    })
    expect(
      [...office.calls()]
        .filter(([number]) => numbersOf(2, first).includes(number))
        .map(([, calls]) => calls),
    ).toEqual([1, 1])
  })
})
