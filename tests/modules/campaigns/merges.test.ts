import { afterAll, beforeAll, expect, test } from 'bun:test'

import { Office } from '../../support/campaigns'
import type { Loose } from '../../support/client'

let office: Office

beforeAll(async () => {
  office = await Office.open()
  office.world.simulator.followWith([], { times: Infinity })
})

afterAll(() => office[Symbol.asyncDispose]())

/** Two people who write, with their numbers. */
async function two(first: number): Promise<{ ids: [string, string]; numbers: [string, string] }> {
  const manager = await office.manager
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
    (await (await office.manager).post(`/api/contacts/${target}/merge`, { source_id: source }))
      .status,
  ).toBe(200)
  await office.world.settle()
}

/** How often anybody of these was called. */
const calledAny = (numbers: string[]): number =>
  numbers.reduce((sum, number) => sum + (office.calls().get(number) ?? 0), 0)

const statesOf = async (id: string): Promise<string[]> =>
  (await office.recipients(id))
    .map(({ status, skip_reason: reason }) => String(reason ?? status))
    .toSorted()

test('sends one message when two recipients are merged before the start', async () => {
  const { ids, numbers } = await two(15_550_810_000)
  const id = await office.draftFor(numbers)
  await merge(ids[0], ids[1])
  expect(await statesOf(id)).toEqual(['duplicate', 'pending'])
  await office.do(id, 'start')
  expect(await office.run(id)).toMatchObject({
    status: 'completed',
    sent_count: 1,
    skipped_count: 1,
    pending_count: 0,
  })
  expect([calledAny(numbers), await statesOf(id)]).toEqual([1, ['duplicate', 'sent']])
})

test('sends to the remaining contact of a merge', async () => {
  const { ids, numbers } = await two(15_550_811_000)
  const id = await office.draftFor([numbers[1]])
  await merge(ids[0], ids[1])
  await office.do(id, 'start')
  expect(await office.run(id)).toMatchObject({ status: 'completed', sent_count: 1 })
  expect(await office.recipients(id)).toMatchObject([{ contact_id: ids[0], status: 'sent' }])
  const { data } = await (await office.manager).get(`/api/contacts/${ids[0]}/messages`)
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
    const id = await office.draftFor(numbers, { rate_limit: 1 })
    await office.do(id, 'start')
    await office.world.settle()
    expect(calledAny(numbers)).toBe(1)
    await office.do(id, 'pause')
    await office.world.settle()
    expect(await office.campaign(id)).toMatchObject({ sent_count: 1, pending_count: 1 })
    const written = office.calls().has(numbers[0]) ? 0 : 1
    await merge(...order(ids[written], ids[1 - written] ?? ''))
    expect(await statesOf(id)).toEqual(['duplicate', 'sent'])
    await office.do(id, 'resume')
    expect(await office.run(id)).toMatchObject({
      status: 'completed',
      sent_count: 1,
      skipped_count: 1,
    })
    expect([calledAny(numbers), await statesOf(id)]).toEqual([1, ['duplicate', 'sent']])
  })
