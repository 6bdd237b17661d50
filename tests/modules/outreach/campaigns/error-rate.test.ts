import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { numbersOf, CampaignFixture } from '../../../support/campaigns'
import { deliver, statusTo } from '../../../support/lines'

let fixture: CampaignFixture
let first = 15_550_600_000

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  // Every status is told by hand.
  fixture.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => fixture[Symbol.asyncDispose]())

/** As many people as must have finished before errors count. */
const LEAST = 20

/**
 * A campaign for sixty that is sending, of which the first `count` messages were taken. Returns it
 * with their platform ids.
 */
async function underWay(count = LEAST): Promise<{ id: string; taken: string[] }> {
  first += 1_000
  const id = await fixture.draftFor(numbersOf(60, first), { rate_limit: LEAST })
  await fixture.do(id, 'start')
  return { id, taken: await takenOf(id, count) }
}

/** Lets time go by until so many messages of a campaign were taken. */
async function takenOf(id: string, count: number): Promise<string[]> {
  for (let step = 0; step < 100; step += 1) {
    await fixture.world.settle()
    const rows = fixture.world.rows<{ wa: string }>(
      `select m.wa_message_id as wa from campaign_sends s join messages m on m.id = s.message_id
       where s.campaign_id = ? and m.wa_message_id is not null order by m.id`,
      id,
    )
    if (rows.length >= count) return rows.slice(0, count).map(({ wa }) => wa)
    fixture.world.clock.advance({ ms: 100 })
  }
  throw new Error(`not even ${count} messages were taken`)
}

const tell = (wa: string, code: number | null): Promise<void> =>
  deliver(
    fixture.world,
    statusTo(
      fixture.world,
      wa,
      code === null ? 'delivered' : 'failed',
      code === null ? {} : { facts: { error: { code, title: 'Failed', details: 'Failed' } } },
    ),
  )

/**
 * Tells of messages: the last `failed` of them failed with the code, the others arrived. Returns
 * how the campaign stands then.
 */
async function tellOf(
  id: string,
  messages: string[],
  { failed, code }: { failed: number; code: number },
): Promise<unknown> {
  for (const [nth, wa] of messages.entries())
    await tell(wa, nth < messages.length - failed ? null : code)
  return (await fixture.campaign(id))['status']
}

describe('with twenty messages and a threshold of 10 %', () => {
  test.each([131_049, 131_026])(
    '%p counts half: four failures are allowed, five pause',
    async (code) => {
      const calm = await underWay()
      expect(await tellOf(calm.id, calm.taken, { failed: 4, code })).toBe('sending')
      await fixture.do(calm.id, 'cancel')
      const troubled = await underWay()
      expect(await tellOf(troubled.id, troubled.taken, { failed: 5, code })).toBe('paused')
      expect(await fixture.campaign(troubled.id)).toMatchObject({
        pause_reason: 'error_rate',
        failed_count: 5,
      })
      await fixture.do(troubled.id, 'cancel')
    },
  )

  test('a failure of the message counts fully: two are allowed, three pause', async () => {
    const calm = await underWay()
    expect(await tellOf(calm.id, calm.taken, { failed: 2, code: 131_009 })).toBe('sending')
    await fixture.do(calm.id, 'cancel')
    const troubled = await underWay()
    expect(await tellOf(troubled.id, troubled.taken, { failed: 3, code: 131_009 })).toBe('paused')
    await fixture.do(troubled.id, 'cancel')
  })

  test('adds both kinds up, and ignores fewer than twenty results', async () => {
    const { id, taken } = await underWay()
    for (const wa of taken.slice(0, 16)) await tell(wa, null)
    await tell(taken[16] ?? '', 131_009)
    await tell(taken[17] ?? '', 131_026)
    await tell(taken[18] ?? '', 131_009)
    expect((await fixture.campaign(id))['status']).toBe('sending')
    await tell(taken[19] ?? '', 131_049)
    expect(await fixture.campaign(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'error_rate',
    })
    await fixture.do(id, 'cancel')
  })
})

test('counts only errors after a resume', async () => {
  const { id, taken } = await underWay()
  expect(await tellOf(id, taken, { failed: 3, code: 131_009 })).toBe('paused')
  fixture.world.clock.advance({ seconds: 1 })
  expect((await fixture.do(id, 'resume')).status).toBe(200)
  const next = (await takenOf(id, 2 * LEAST)).slice(LEAST)
  // With the former three they would be five of forty.
  expect(await tellOf(id, next, { failed: 2, code: 131_009 })).toBe('sending')
  const last = (await takenOf(id, 3 * LEAST - 1)).slice(2 * LEAST)
  expect(await tellOf(id, last, { failed: 3, code: 131_009 })).toBe('paused')
  await fixture.do(id, 'cancel')
})
