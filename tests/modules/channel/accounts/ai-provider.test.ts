import { expect, test } from 'bun:test'

import { statusChange } from '../../../../src/simulator/payloads'
import { setPrice } from '../../../support/campaigns'
import { deliver, personOf, secondsIn } from '../../../support/lines'
import { PayingLines, type PayingLine } from '../../../support/lines-that-pay'

/** WhatsApp reports that a reply to the first customer was delivered and billed in a category. */
async function billed(shop: PayingLines, line: PayingLine, category: string): Promise<unknown> {
  shop.world.simulator.swallowStatuses()
  const message = await shop.answer(line, await shop.customer(line, 1))
  const change = statusChange(
    String(message['wa_message_id']),
    'delivered',
    { pricing: { category, type: 'regular', billable: true, pricing_model: 'PMP' } },
    {
      line: { wabaId: line.wabaId, phoneNumberId: line.phoneId, displayPhoneNumber: line.digits },
      person: personOf(1),
      timestamp: secondsIn(shop.world),
    },
  )
  await deliver(shop.world, change)
  await deliver(shop.world, change)
  return message['id']
}

test('a message billed as that of an AI provider is told to the admins, once in 30 days', async () => {
  await using shop = await PayingLines.open()
  const line = await shop.line('Shop')
  const other = await shop.line('Other')
  await billed(shop, line, 'service')
  await billed(shop, other, 'service')
  expect(await shop.notices(line, 'ai_provider')).toEqual([])
  await billed(shop, line, 'general_purpose_ai')
  expect(await shop.notices(line, 'ai_provider')).toMatchObject([
    {
      severity: 'critical',
      title: 'WhatsApp takes this number for an AI provider: Shop',
      body: expect.stringMatching(/forbid.*each delivered message.*price.*Limit the bot/s),
    },
  ])
  await billed(shop, line, 'general_purpose_ai')
  expect(await shop.notices(line, 'ai_provider')).toHaveLength(1)
  expect(await shop.notices(other, 'ai_provider')).toEqual([])
  shop.world.clock.advance({ hours: 31 * 24 })
  await billed(shop, line, 'GENERAL_PURPOSE_AI')
  expect(await shop.notices(line, 'ai_provider')).toHaveLength(2)
})

test('what it costs follows from the price list and uses up no free replies', async () => {
  await using shop = await PayingLines.open()
  setPrice(shop.world, { category: 'GENERAL_PURPOSE_AI', micros: 62_500 })
  const line = await shop.line('Shop')
  const id = await billed(shop, line, 'general_purpose_ai')
  expect(await shop.message(id)).toMatchObject({
    pricing: { category: 'general_purpose_ai', type: 'regular', billable: true },
    cost: { amount: '0.0625', is_estimate: false, free_reason: null },
  })
  expect(await shop.allowance(line)).toMatchObject({ used: 0 })
})
