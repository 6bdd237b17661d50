import { seededRandom } from '../../src/simulator/random'
import { CellGroup, type Cell } from '../support/cells'
import { moveUnderKills, type Abort, type Kill } from '../support/killed-move'

/** What moves under kills came to. */
export interface MovesReport {
  seed: number
  kills: number
  moved: number
  stayed: number
  received: number
  sent: number
  unknown: number
  tookS: number
  faults: string[]
}

const STEPS = [
  'freezing',
  'draining',
  'exporting',
  'uploading',
  'importing',
  'activating',
  'completed',
]
const KILLS_PER_MOVE = 3

/** The last step at which a move can be aborted, and the share of moves that are. */
const LAST_ABORTABLE = STEPS.indexOf('importing')
const ABORTED = 0.35

/** Kills after which both ends must have been seen. */
const ENOUGH_KILLS = 30
const LATENCY_MS = 30

/**
 * Moves organizations between two cells, back and forth, while one or the other is killed at any
 * step and some are aborted: each ends moved or not moved and never both, no webhook is lost, and
 * nothing is sent twice.
 */
export async function runMoves(options: { seed: number; kills: number }): Promise<MovesReport> {
  const startedMs = performance.now()
  const random = seededRandom(options.seed)
  await using group = await CellGroup.start({ linesEach: 1 })
  const [first, second] = group.cells as [Cell, Cell]
  group.simulator.slow(LATENCY_MS, { times: Infinity })
  const report: MovesReport = {
    ...{ seed: options.seed, kills: 0, moved: 0, stayed: 0, received: 0, sent: 0, unknown: 0 },
    ...{ tookS: 0, faults: [] },
  }
  for (let nth = 0; report.kills < options.kills; nth += 1) {
    const [from, to] = nth % 2 === 0 ? [first, second] : [second, first]
    const left = Math.min(KILLS_PER_MOVE, options.kills - report.kills)
    const kills = Array.from({ length: left }, (): Kill => ({
      step: STEPS[Math.floor(random() * STEPS.length)] ?? 'importing',
      cell: random() < 0.5 ? 'from' : 'to',
      afterMs: Math.floor(random() * 40),
    }))
    const aborts = random() < ABORTED ? [abortAt(random)] : []
    const troubles = [...kills, ...aborts].toSorted(
      (a, b) => STEPS.indexOf(a.step) - STEPS.indexOf(b.step),
    )
    const one = await moveUnderKills(group, { nth, from, to, troubles })
    report.kills += one.kills
    if (one.end === 'moved') report.moved += 1
    else report.stayed += 1
    report.received += one.received
    report.sent += one.sent
    report.unknown += one.unknown
    report.faults.push(
      ...one.faults.map((fault) => `move ${nth} (${JSON.stringify(troubles)}): ${fault}`),
    )
  }
  if (options.kills >= ENOUGH_KILLS && (report.moved === 0 || report.stayed === 0))
    report.faults.push('all moves ended in the same way')
  return { ...report, tookS: (performance.now() - startedMs) / 1_000 }
}

const abortAt = (random: () => number): Abort => ({
  step: STEPS[Math.floor(random() * (LAST_ABORTABLE + 1))] ?? 'importing',
  afterMs: Math.floor(random() * 40),
})
