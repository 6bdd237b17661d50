import { expect, test } from 'bun:test'

import { Office, setPrice } from '../../support/campaigns'

test('sends to the first recipients while others are still being selected', async () => {
  await using office = await Office.open()
  const { world } = office
  setPrice(world, { micros: 50_000 })
  const id = await office.draftFor(300)
  await office.do(id, 'start')
  const planned = (): boolean =>
    world.rows<{ is_planned: number }>('select is_planned from campaigns')[0]?.is_planned === 1
  const created = (): number =>
    Number(world.rows<{ n: number }>('select count(*) as n from campaign_sends')[0]?.n)
  let early = 0
  while (!planned()) {
    world.program.worker.step()
    if (!planned()) early = created()
  }
  expect(early).toBeGreaterThan(0)
  expect(early).toBeLessThan(300)
  expect(await office.campaign(id)).toMatchObject({
    status: 'sending',
    total_recipients: 300,
    estimated_cost: '15.00',
  })
})
