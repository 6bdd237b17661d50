import { expect, test } from 'bun:test'

import { startPair } from './pair'

const text = (to: string) => ({
  messaging_product: 'whatsapp',
  to,
  type: 'text',
  text: { body: 'Hi' },
})

test('limits can be enforced at any time: by number and by contact', async () => {
  await using pair = await startPair()
  const codeOf = async (to: string): Promise<number> => {
    const body = (await (await pair.send(text(to))).json()) as { error?: { code: number } }
    return body.error?.code ?? 0
  }
  expect(await codeOf('15550109001')).toBe(0)
  pair.simulator.enforce({ throughputPerSecond: 2 })
  expect([
    await codeOf('15550109001'),
    await codeOf('15550109002'),
    await codeOf('15550109003'),
  ]).toEqual([0, 0, 130_429])
  pair.simulator.enforce({ throughputPerSecond: undefined, enforcePairRate: true })
  const codes: number[] = []
  for (let nth = 0; nth < 46; nth += 1) codes.push(await codeOf('15550109004'))
  expect(codes).toEqual([...Array.from({ length: 45 }, () => 0), 131_056])
  expect(await codeOf('15550109005')).toBe(0)
})

test('an error can report in the usage header when access is regained', async () => {
  await using pair = await startPair()
  pair.simulator.fail({ code: 80_007, usageMinutes: 12 })
  const answer = await pair.send(text('15550109001'))
  const usage = JSON.parse(answer.headers.get('x-business-use-case-usage') ?? '{}') as Record<
    string,
    Record<string, unknown>[]
  >
  expect(Object.values(usage)[0]?.[0]?.['estimated_time_to_regain_access']).toBe(12)
})
