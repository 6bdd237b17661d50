import { expect, test } from 'bun:test'

import { CampaignFixture, setPrice } from '../../../support/campaigns'

test('sends to the first recipients while others are still being selected', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  setPrice(world, { micros: 50_000 })
  const id = await fixture.draftFor(300)
  await fixture.do(id, 'start')
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
  expect(await fixture.campaign(id)).toMatchObject({
    status: 'sending',
    total_recipients: 300,
    estimated_cost: '15.00',
  })
})

test('resumes a campaign that was paused while planned and has a message for everyone', async () => {
  await using fixture = await CampaignFixture.open()
  const { world } = fixture
  const id = await fixture.draftFor(5)
  await fixture.do(id, 'start')
  const pending = (): unknown => world.rows('select pending from campaign_counts')
  for (let turn = 0; turn < 20 && !Bun.deepEquals(pending(), [{ pending: 0 }]); turn++)
    world.program.worker.step()
  expect(pending()).toEqual([{ pending: 0 }])
  world.rows('update campaigns set is_planned = 0')
  expect((await fixture.do(id, 'pause')).status).toBe(200)
  expect((await fixture.do(id, 'resume')).status).toBe(200)
})
