import { startYardstick } from '../processes'
import { bounded, compared, median, type Figure } from './figure'
import { onStage } from './stage'

const CONNECTIONS = 64
const COUNT = 6_000
const ROUNDS = 5

/**
 * So many are posted before anything is measured: a server runs for weeks, and compiles what it
 * runs often in its first half minute.
 */
const WARM_UP = 24_000
const HALF_LOAD_S = 6

/**
 * Signed webhooks acknowledged per second, each on disk before its 200, while what came before is
 * being processed; beside a server that answers 200 to the same requests. Then how long answers
 * take at half that load.
 */
export const measureAcknowledged = (): Promise<Figure[]> =>
  onStage({}, async ({ installation, server, post, drained }) => {
    await using bare = await startYardstick('bare.ts', installation.folder)
    const load = { connections: CONNECTIONS, count: COUNT }
    for (let posted = 0; posted < WARM_UP; posted += COUNT) {
      for (const one of [bare, server]) await post(one, load)
      await drained()
    }
    const rounds: { ours: number; bare: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = await post(bare, load)
      const ours = await post(server, load)
      if (ours.refused > 0) throw new Error(`${ours.refused} webhooks were refused`)
      await drained()
      rounds.push({ ours: COUNT / (ours.tookMs / 1_000), bare: COUNT / (before.tookMs / 1_000) })
    }
    const ours = median(rounds.map((round) => round.ours))
    const half = await post(server, {
      ...load,
      count: Math.round((ours / 2) * HALF_LOAD_S),
      perSecond: ours / 2,
    })
    if (half.refused > 0) throw new Error(`${half.refused} webhooks were refused`)
    await drained()
    const yardstick = {
      value: median(rounds.map((round) => round.bare)),
      what: 'bare Bun.serve',
      least: 0.2,
    }
    return [
      compared('signed webhooks acknowledged and stored', '/s', ours, yardstick),
      bounded('… response time at half that load, p99', 'ms', half.p99Ms, 100),
    ]
  })
