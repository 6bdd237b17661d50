import { afterEach, expect, test } from 'bun:test'

import { setPrice } from '../../../support/campaigns'
import type { Loose } from '../../../support/client'
import { PayingLines, type PayingLine } from '../../../support/lines-that-pay'

const PAYMENT_ERROR = {
  error_code: 141_006,
  error_description: 'There is an error with the payment method.',
}

let shop: PayingLines

afterEach(() => shop[Symbol.asyncDispose]())

/** Three numbers, each with another state of its payment method. */
async function open(startMs?: number): Promise<PayingLine[]> {
  shop = await PayingLines.open(startMs === undefined ? {} : { startMs })
  return [
    await shop.line('Missing', { businessErrors: [PAYMENT_ERROR] }),
    await shop.line('Attached', { fundingId: '77' }),
    await shop.line('Unknown'),
  ]
}

/** Answers customers so often from a number, by turns. */
async function answer(line: PayingLine, contacts: Loose | Loose[], times: number): Promise<void> {
  const manager = await shop.world.as('manager')
  const all = Array.isArray(contacts) ? (contacts as Loose[]) : [contacts]
  for (let nth = 0; nth < times; nth += 1)
    await manager.post(`/api/contacts/${all[nth % all.length]?.['id']}/messages`, {
      type: 'text',
      text: `Answer ${nth}`,
      account_id: line.accountId,
    })
  for (let second = 0; second < times; second += 1) {
    shop.world.clock.advance({ seconds: 1 })
    await shop.world.settle()
  }
}

const noticesOf = async (line: PayingLine): Promise<unknown[]> =>
  (await shop.notices(line, 'service_allowance')).map(({ severity, title }) => [severity, title])

const textOf = async (line: PayingLine, nth: number): Promise<string> =>
  String((await shop.notices(line, 'service_allowance'))[nth]?.['body'])

test('80 and 100 % of the free replies are told once, with what is known of the payment method', async () => {
  const lines = await open()
  const [missing, attached, unknown] = lines as [PayingLine, PayingLine, PayingLine]
  setPrice(shop.world, { category: 'SERVICE', micros: 8_000, free: 100 })
  const contacts = new Map<PayingLine, Loose[]>()
  for (const line of lines) {
    const own = []
    for (let nth = 0; nth < 10; nth += 1) own.push(await shop.customer(line, nth))
    contacts.set(line, own)
  }
  const go = async (times: number): Promise<void> => {
    for (const line of lines) await answer(line, contacts.get(line) ?? [], times)
  }
  await go(79)
  for (const line of lines) {
    expect(await shop.allowance(line)).toMatchObject({ used: 79 })
    expect(await noticesOf(line)).toEqual([])
  }
  await go(1)
  expect(await noticesOf(missing)).toEqual([
    ['warning', '80 of 100 free replies are used: Missing'],
  ])
  expect(await noticesOf(attached)).toEqual([['info', '80 of 100 free replies are used: Attached']])
  expect(await noticesOf(unknown)).toEqual([
    ['warning', '80 of 100 free replies are used: Unknown'],
  ])
  const url =
    'https://business.facebook.com/billing_hub/accounts/details/?business_id=501000000000001&asset_id='
  expect(await textOf(missing, 0)).toBe(
    'There is no payment method: customers get no answers once they are used up. ' +
      `Add one at ${url}${missing.wabaId} and then resume the number. ` +
      'There are new ones at 2026-12-01T00:00:00.000Z.',
  )
  expect(await textOf(attached, 0)).toBe(
    'A payment method is stored. Replies are charged once they are used up. ' +
      'There are new ones at 2026-12-01T00:00:00.000Z.',
  )
  expect(await textOf(unknown, 0)).toBe(
    'WhatsApp does not tell whether there is a payment method. Without one, customers get no ' +
      `answers once they are used up. Check it at ${url}${unknown.wabaId}. ` +
      'There are new ones at 2026-12-01T00:00:00.000Z.',
  )
  await go(19)
  for (const line of lines) {
    expect(await shop.allowance(line)).toMatchObject({ used: 99, held: false })
    expect(await noticesOf(line)).toHaveLength(1)
  }
  await go(1)
  expect((await noticesOf(missing))[1]).toEqual([
    'critical',
    '100 of 100 free replies are used: Missing',
  ])
  expect((await noticesOf(attached))[1]).toEqual([
    'info',
    '100 of 100 free replies are used: Attached',
  ])
  expect((await noticesOf(unknown))[1]).toEqual([
    'warning',
    '100 of 100 free replies are used: Unknown',
  ])
  expect(await textOf(missing, 1)).toStartWith(
    'There is no payment method: customers get no answers from now on. Add one at',
  )
  expect(await textOf(attached, 1)).toStartWith(
    'A payment method is stored. From now on, replies are charged.',
  )
  expect(await textOf(unknown, 1)).toStartWith(
    'WhatsApp does not tell whether there is a payment method. Without one, customers get no ' +
      'answers from now on.',
  )
  await go(2)
  for (const line of lines) expect(await noticesOf(line)).toHaveLength(2)
})

test('the free replies are told anew in the next month, in the time zone of the business account', async () => {
  shop = await PayingLines.open({ startMs: Date.UTC(2026, 10, 30, 22, 30) })
  setPrice(shop.world, { category: 'SERVICE', micros: 8_000, free: 5 })
  const berlin = await shop.line('Berlin', { timezoneId: '47' })
  const utc = await shop.line('UTC')
  const contact = await shop.customer(berlin, 1)
  await shop.customer(utc, 1)
  await answer(berlin, contact, 5)
  await answer(utc, contact, 4)
  const titles = (name: string, ...used: number[]): unknown[] =>
    used.map((count) => `${count} of 5 free replies are used: ${name}`)
  const told = async (line: PayingLine): Promise<unknown[]> =>
    (await shop.notices(line, 'service_allowance')).map(({ title }) => title as unknown)
  expect(await told(berlin)).toEqual(titles('Berlin', 4, 5))
  expect(await told(utc)).toEqual(titles('UTC', 4))
  shop.world.clock.advance({ hours: 1 })
  await answer(berlin, contact, 3)
  expect(await told(berlin)).toEqual(titles('Berlin', 4, 5))
  expect(await shop.allowance(berlin)).toMatchObject({ used: 3 })
  await answer(berlin, contact, 1)
  expect(await told(berlin)).toEqual(titles('Berlin', 4, 5, 4))
  // In UTC it is still November.
  await answer(utc, contact, 1)
  expect(await told(utc)).toEqual(titles('UTC', 4, 5))
})

test('the allowance of WhatsApp holds without a price list', async () => {
  const [, , unknown] = await open()
  const contact = await shop.customer(unknown as PayingLine, 1)
  await answer(unknown as PayingLine, contact, 1)
  shop.world.program.http.db.sqlite.run('update service_counts set delivered = 799')
  await answer(unknown as PayingLine, contact, 1)
  expect(await noticesOf(unknown as PayingLine)).toEqual([
    ['warning', '800 of 1,000 free replies are used: Unknown'],
  ])
})

test('a number whose replies are accepted and never delivered is suspected once', async () => {
  const [missing, attached, unknown] = (await open()) as [PayingLine, PayingLine, PayingLine]
  setPrice(shop.world, { category: 'SERVICE', micros: 8_000, free: 3 })
  shop.world.simulator.freeServiceMessages(3)
  for (const line of [attached, unknown]) shop.change(line, { unpaid: 'silent' })
  const suspects = async (line: PayingLine): Promise<unknown[]> =>
    (await shop.notices(line, 'number_silent')).map(({ title }) => title as unknown)
  const pass = async (minutes: number): Promise<void> => {
    for (let at = 0; at < minutes; at += 10) {
      shop.world.clock.advance({ minutes: 10 })
      await shop.world.settle()
    }
  }
  for (const line of [missing, attached, unknown])
    for (const nth of [1, 2, 3, 4, 5]) await answer(line, await shop.customer(line, nth), 1)
  await pass(120)
  // Two customers may have switched off their phones.
  expect(await suspects(unknown)).toEqual([])
  await answer(unknown, await shop.customer(unknown, 6), 1)
  await answer(attached, await shop.customer(attached, 6), 1)
  await pass(50)
  expect(await suspects(unknown)).toEqual([])
  await pass(20)
  expect(await suspects(unknown)).toEqual(['Customers may get no answers: Unknown'])
  await pass(60)
  expect(await suspects(unknown)).toHaveLength(1)
  expect(await suspects(attached)).toEqual([])
  expect(await suspects(missing)).toEqual([])
  expect(await shop.funding(unknown)).toMatchObject({ state: 'unknown' })
})

test('a number whose later replies are delivered is not suspected', async () => {
  const [, , unknown] = (await open()) as [PayingLine, PayingLine, PayingLine]
  setPrice(shop.world, { category: 'SERVICE', micros: 8_000, free: 1 })
  await answer(unknown, await shop.customer(unknown, 1), 1)
  for (const nth of [2, 3, 4]) {
    shop.world.simulator.swallowStatuses()
    await answer(unknown, await shop.customer(unknown, nth), 1)
  }
  // One more is delivered, which says that somebody pays, or that WhatsApp goes on all the same.
  await answer(unknown, await shop.customer(unknown, 5), 1)
  shop.world.clock.advance({ hours: 2 })
  await shop.world.settle()
  expect(await shop.notices(unknown, 'number_silent')).toEqual([])
})
