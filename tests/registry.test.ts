import { expect, test } from 'bun:test'

import { HOUR_MS, SECOND_MS } from '../src/lib/clock'
import { World } from './support/world'

const NAME = /^[a-z]+(?:[ .-][a-z]+)*$/

test('jobs and schedules have names that say what they do, and times that can be kept', async () => {
  await using world = await World.create({ tenants: 1, isConnected: false })
  const { workers, schedules } = world.program.registry
  for (const job of workers) {
    expect(job.name).toMatch(NAME)
    if (job.mode === 'async') {
      expect(job.timeoutMs, job.name).toBeGreaterThanOrEqual(SECOND_MS)
      expect(job.timeoutMs, job.name).toBeLessThanOrEqual(12 * HOUR_MS)
    }
    expect(job.fits('nothing'), job.name).toBe(false)
  }
  const nowMs = world.clock.nowMs()
  for (const { name, timing: rhythm } of schedules) {
    expect(name).toMatch(NAME)
    const everyMs = rhythm.nextMs(nowMs) - rhythm.lastMs(nowMs)
    expect(everyMs, name).toBeGreaterThanOrEqual(SECOND_MS)
    expect(everyMs, name).toBeLessThanOrEqual(24 * HOUR_MS)
  }
})
