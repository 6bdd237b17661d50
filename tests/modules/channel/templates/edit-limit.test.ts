import { expect, test } from 'bun:test'

import { DAY_MS, HOUR_MS } from '../../../../src/lib/clock'
import type { Loose } from '../../../support/client'
import { approvedTemplate } from '../../../support/templates'
import { World } from '../../../support/world'

const textOf = (nth: number): Loose[] => [
  { type: 'BODY', text: `We have news number ${nth} for you today` },
]

test('an approved template is changed once in 24 hours and ten times in 30 days', async () => {
  await using world = await World.create({ tenants: 1 })
  const { id } = await approvedTemplate(world, { components: textOf(0) })
  const publish = async (nth: number) => {
    const manager = await world.as('manager')
    await manager.put(`/api/templates/${id}`, { components: textOf(nth) })
    const published = await manager.post(`/api/templates/${id}/publish`)
    if (published.status !== 200) return published
    world.clock.advance({ seconds: 1 })
    await world.simulator.review(String(published.data['platform_id']), { event: 'APPROVED' })
    await world.settle()
    return published
  }
  const nextOf = (refused: { body: { code?: string; details?: Loose } }): number => {
    expect(refused.body.code).toBe('edit_limit')
    return Date.parse(String(refused.body.details?.['next_at']))
  }
  const firstMs = world.clock.nowMs()
  for (let nth = 1; nth <= 10; nth += 1) {
    const atMs = world.clock.nowMs()
    expect([nth, (await publish(nth)).status]).toEqual([nth, 200])
    if (nth === 2) expect(nextOf(await publish(nth + 1))).toBe(atMs + DAY_MS)
    world.clock.advance({ hours: 25 })
  }
  expect(nextOf(await publish(11))).toBe(firstMs + 30 * DAY_MS)
  world.clock.advance({ ms: firstMs + 30 * DAY_MS - world.clock.nowMs() - HOUR_MS })
  expect((await publish(11)).status).toBe(409)
  world.clock.advance({ hours: 2 })
  expect((await publish(11)).status).toBe(200)
})
