import { expect, test } from 'bun:test'

import { runChaos } from '../chaos/run'

const LIMIT_MS = 60_000

test(
  'a server killed again and again while webhooks pour in keeps what it acknowledged, exactly once',
  async () => {
    const seed = Math.floor(Math.random() * 1_000_000)
    const report = await runChaos({ seed, kills: 24 })
    // The seed in the difference makes a failed round repeatable: bun run chaos --seed.
    expect({ seed, faults: report.faults }).toEqual({ seed, faults: [] })
    expect(report.acknowledged).toBeGreaterThan(100)
    expect(report.sends).toBeGreaterThan(5)
  },
  LIMIT_MS,
)
