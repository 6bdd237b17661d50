import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { systemClock } from '../../src/lib/clock'
import { openDb } from '../../src/infra/db/connection'
import { migrate } from '../../src/infra/db/migrate'
import { rowJob, waitingJob, Workbench } from '../support/workbench'
import { machineOf, save } from './report'
import { idNamed } from '../support/ids'

/**
 * In each round it is asked so often while there is nothing else to do, and as often beside the
 * crowd: of a few hundred the slowest hundredth would be chance.
 */
const ROUNDS = 4
const SAMPLES = 400
const EVERY_MS = 8
const CROWD = 100_000
const TOOK_MS = 10

/** How long a job of one organization waits from its commit until it is begun, milliseconds. */
interface Waits {
  p50: number
  p99: number
}

function waitsOf(sample: number[]): Waits {
  const sorted = sample.toSorted((a, b) => a - b)
  return {
    p50: sorted[Math.floor(sorted.length * 0.5)] ?? 0,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
  }
}

/** A queue, with what the jobs of the large organization do there. */
type Kind = 'database' | 'outside'

/**
 * Measures how long jobs of a small organization wait, while nothing else is to be done and while
 * another one has a hundred thousand jobs in the same queue: jobs of the database alone, or such
 * that wait ten milliseconds for something outside.
 */
async function measureFairness(kind: Kind): Promise<{ idle: Waits; crowded: Waits }> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-fairness-'))
  const db = openDb(join(folder, 'db.sqlite'), { synchronous: 'full', cacheMib: 64 })
  migrate(db.sqlite, { clock: systemClock })
  const bench = new Workbench({ db })
  try {
    const begun = new Map<string, number>()
    const note = (name: string): void => void begun.set(name, performance.now())
    const small = rowJob((_tx, _ctx, { name }) => note(name), {
      name: 'small',
      queue: kind === 'database' ? 'inbound' : 'default',
      isKept: false,
    })
    const large =
      kind === 'database'
        ? rowJob((_tx, _ctx, { name }) => bench.write(name), {
            name: 'large',
            queue: 'inbound',
            isKept: false,
          })
        : waitingJob(() => Bun.sleep(TOOK_MS), { name: 'large', queue: 'default' })
    const worker = bench.worker([small, large])
    db.afterCommit = () => worker.wake()
    worker.start()
    const sample = async (phase: string, samples = SAMPLES): Promise<number[]> => {
      const asked = new Map<string, number>()
      for (let nth = 0; nth < samples; nth += 1) {
        const name = `${phase} ${nth}`
        bench.enqueue(small, [name], {}, idNamed('org-small'))
        asked.set(name, performance.now())
        await Bun.sleep(EVERY_MS)
      }
      while ([...asked.keys()].some((name) => !begun.has(name))) await Bun.sleep(1)
      return [...asked].map(([name, atMs]) => (begun.get(name) ?? Infinity) - atMs)
    }
    await sample('warm')
    const [idle, crowded]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round += 1) {
      idle.push(...(await sample(`idle ${round}`)))
      const crowd = Array.from({ length: CROWD }, (_, nth) => String(nth))
      bench.enqueue(large, crowd, {}, idNamed('org-large'))
      crowded.push(...(await sample(`crowded ${round}`)))
      if (bench.rows("select 1 from jobs where state = 'available' limit 1").length === 0)
        throw new Error('the large organization ran out of work')
      db.sqlite.run("delete from jobs where state = 'available'")
      await sample(`rest ${round}`, SAMPLES / 8)
    }
    await worker.stop(0)
    return { idle: waitsOf(idle), crowded: waitsOf(crowded) }
  } finally {
    bench.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Prints the figures of {@link measureFairness}; `isSaved` writes them to `results`.
 */
export async function benchFairness(options: { isSaved: boolean }): Promise<void> {
  const lines = [
    '| jobs | alone p50 | alone p99 | beside 100,000 jobs p50 | p99 | p99 times |',
    '| --- | --- | --- | --- | --- | --- |',
  ]
  for (const kind of ['database', 'outside'] as const) {
    const { idle, crowded } = await measureFairness(kind)
    const figures = [idle.p50, idle.p99, crowded.p50, crowded.p99]
      .map((ms) => `${ms.toFixed(2)} ms`)
      .join(' | ')
    lines.push(`| ${kind} | ${figures} | ${(crowded.p99 / idle.p99).toFixed(2)} |`)
  }
  const report = [machineOf(tmpdir()), '', ...lines].join('\n')
  console.log(`\n${report}`)
  if (options.isSaved) save('fairness', report)
}
