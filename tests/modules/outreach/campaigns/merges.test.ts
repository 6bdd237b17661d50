import { afterAll, beforeAll, expect, test } from 'bun:test'

import { CampaignFixture } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'

let fixture: CampaignFixture

beforeAll(async () => {
  fixture = await CampaignFixture.open()
  fixture.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => fixture[Symbol.asyncDispose]())

/** Two people who write, with their numbers. */
async function two(first: number): Promise<{ ids: [string, string]; numbers: [string, string] }> {
  const manager = await fixture.manager
  const made = async (number: string): Promise<string> =>
    String(
      (await manager.post('/api/contacts', { phone_number: number, name: `P ${number}` })).data[
        'id'
      ],
    )
  const numbers: [string, string] = [String(first), String(first + 1)]
  return { ids: [await made(numbers[0]), await made(numbers[1])], numbers }
}

const merge = async (target: string, source: string): Promise<void> => {
  expect(
    (await (await fixture.manager).post(`/api/contacts/${target}/merge`, { source_id: source }))
      .status,
  ).toBe(200)
  await fixture.world.settle()
}

/** How often anybody of these was called. */
const calledAny = (numbers: string[]): number =>
  numbers.reduce((sum, number) => sum + (fixture.calls().get(number) ?? 0), 0)

const statesOf = async (id: string): Promise<string[]> =>
  (await fixture.recipients(id))
    .map(({ status, skip_reason: reason }) => String(reason ?? status))
    .toSorted()

test('sends one message when two recipients are merged before the start', async () => {
  const { ids, numbers } = await two(15_550_810_000)
  const id = await fixture.draftFor(numbers)
  await merge(ids[0], ids[1])
  expect(await statesOf(id)).toEqual(['duplicate', 'pending'])
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 1,
    skipped_count: 1,
    pending_count: 0,
  })
  expect([calledAny(numbers), await statesOf(id)]).toEqual([1, ['duplicate', 'sent']])
})

test('sends to the remaining contact of a merge', async () => {
  const { ids, numbers } = await two(15_550_811_000)
  const id = await fixture.draftFor([numbers[1]])
  await merge(ids[0], ids[1])
  await fixture.do(id, 'start')
  expect(await fixture.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  expect(await fixture.recipients(id)).toMatchObject([{ contact_id: ids[0], status: 'sent' }])
  const { data } = await (await fixture.manager).get(`/api/contacts/${ids[0]}/messages`)
  expect((data['items'] as Loose[]).map(({ source }) => source as unknown)).toEqual(['campaign'])
})

const directions: [
  what: string,
  targetOf: (written: string, waiting: string) => [string, string],
][] = [
  [
    'the one who waits is joined to the one who was written to',
    (written, waiting) => [written, waiting],
  ],
  [
    'the one who was written to is joined to the one who waits',
    (written, waiting) => [waiting, written],
  ],
]
for (const [index, [what, order]] of directions.entries())
  test(`sends no second message when ${what}`, async () => {
    const { ids, numbers } = await two(15_550_812_000 + index * 10)
    const id = await fixture.draftFor(numbers, { rate_limit: 1 })
    await fixture.do(id, 'start')
    await fixture.world.settle()
    expect(calledAny(numbers)).toBe(1)
    await fixture.do(id, 'pause')
    await fixture.world.settle()
    expect(await fixture.campaign(id)).toMatchObject({ sent_count: 1, pending_count: 1 })
    const written = fixture.calls().has(numbers[0]) ? 0 : 1
    await merge(...order(ids[written], ids[1 - written] ?? ''))
    expect(await statesOf(id)).toEqual(['duplicate', 'sent'])
    await fixture.do(id, 'resume')
    expect(await fixture.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 1,
      skipped_count: 1,
    })
    expect([calledAny(numbers), await statesOf(id)]).toEqual([1, ['duplicate', 'sent']])
  })
