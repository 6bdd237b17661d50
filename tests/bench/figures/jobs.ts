import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { measureIn } from '../processes'
import { compared, median, type Figure } from './figure'

const ROUNDS = 3
const JOBS = 20_000

/** What a queue got done. */
export interface JobsDone {
  perSecond: number
}

/**
 * Jobs that do nothing, written and processed per second through the table, beside the queue
 * `plainjob` on the same SQLite.
 */
export async function measureJobs(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-jobs-'))
  try {
    const rounds: { ours: number; theirs: number }[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const at = (who: string) => ({ path: join(folder, `${who}-${round}.sqlite`), jobs: JOBS })
      const theirs = await measureIn<JobsDone>('figures/jobs-plainjob.ts', at('theirs'))
      const ours = await measureIn<JobsDone>('figures/jobs-ours.ts', at('ours'))
      rounds.push({ ours: ours.perSecond, theirs: theirs.perSecond })
    }
    const yardstick = {
      value: median(rounds.map(({ theirs }) => theirs)),
      what: 'plainjob (without leases and retries)',
      least: 1,
    }
    return [
      compared('empty jobs completed', '/s', median(rounds.map(({ ours }) => ours)), yardstick),
    ]
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
