import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { measureAcknowledged } from './figures/acknowledged'
import { measureBacklog } from './figures/backlog'
import type { Figure } from './figures/figure'
import { measureJobs } from './figures/jobs'
import { measureProcessed } from './figures/processed'
import { measureRest } from './figures/rest'
import { measureSockets } from './figures/sockets'
import { measureStart } from './figures/start'
import { machineOf } from './report'

/** Every figure of the report, in the order they are measured; each can also be measured alone. */
export const FIGURES: Record<string, () => Promise<Figure[]>> = {
  acknowledged: measureAcknowledged,
  processed: measureProcessed,
  jobs: measureJobs,
  rest: measureRest,
  sockets: measureSockets,
  backlog: measureBacklog,
  start: measureStart,
}

const RESULTS = join(import.meta.dir, 'results')

/**
 * Measures every figure beside its reference in one run, prints the report and writes it into
 * `results/`. A report of some figures is only printed.
 */
export async function benchEverything(names: string[] = Object.keys(FIGURES)): Promise<void> {
  const figures: Figure[] = []
  for (const name of names) {
    console.error(`${name} …`)
    figures.push(...((await FIGURES[name]?.()) ?? []))
  }
  const report = reportOf(figures)
  console.log(`\n${report}`)
  if (names.length < Object.keys(FIGURES).length) return
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, 'latest.md'), report)
  writeFileSync(
    join(RESULTS, 'latest.json'),
    `${JSON.stringify({ machine: machineOf(tmpdir()), figures }, null, 2)}\n`,
  )
}

const reportOf = (figures: Figure[]): string =>
  [
    '# Figures',
    '',
    `${machineOf(tmpdir())} Measured in one run by \`bun run bench\`, each beside its reference.`,
    '',
    '| figure | Switchboard | reference | ratio | limit | within limit |',
    '| --- | ---: | ---: | ---: | ---: | --- |',
    ...figures.map(
      ({ name, ours, yardstick, ratio, target, isReached }) =>
        `| ${name} | ${ours} | ${yardstick} | ${ratio === null ? '–' : ratio.toFixed(2)} | ${target} | ${isReached ? 'yes' : 'no'} |`,
    ),
    '',
  ].join('\n')
