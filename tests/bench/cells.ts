import { cpus } from 'node:os'

import { CellGroup, CELLS_APP_SECRET, type Cell } from '../support/cells'
import { Haproxy } from '../support/haproxy'
import { freePort } from '../support/ports'
import { missingOf } from '../recipes/guide'
import type { Measured } from './load'
import { postLoad } from './processes'
import { machineOf, save } from './report'

const CONNECTIONS = 64
const COUNT = 6_000
const WARM_UP = 1_000
const DRAIN_DEADLINE_MS = 240_000

/** One row of the table. */
interface Row {
  cells: number
  acknowledgedPerS: number
  processedPerS: number
  p50Ms: number
  p99Ms: number
}

/**
 * Measures how many signed text webhooks a second one, two and four cells behind HAProxy acknowledge
 * and process together. Load, proxy and cells share the cores of this machine. Prints a table;
 * `isSaved` writes it to `results`.
 */
export async function benchCells({ isSaved }: { isSaved: boolean }): Promise<void> {
  const missing = missingOf('haproxy')
  if (missing !== null) return console.log(`Not measured: ${missing} is not installed.`)
  const rows: Row[] = []
  for (const count of [1, 2, 4]) {
    rows.push(await measure(count))
    console.log(lineOf(rows.at(-1) as Row))
  }
  const report = [
    machineOf('/tmp'),
    '',
    `${cpus().length} cores for the cells, HAProxy and the load generator together; ${CONNECTIONS} ` +
      `connections and ${COUNT} webhooks in all.`,
    '',
    '| cells | acknowledged/s | processed/s | ack p50 ms | ack p99 ms |',
    '| ---: | ---: | ---: | ---: | ---: |',
    ...rows.map(lineOf),
  ].join('\n')
  console.log(`\n${report}`)
  if (isSaved) save('cells', report)
}

async function measure(count: number): Promise<Row> {
  await using group = await CellGroup.start({ count, linesEach: 1 })
  const fronts: number[] = []
  while (fronts.length < count) fronts.push(await freePort())
  await using proxy = await Haproxy.start(fronts[0] ?? 0, () => configOf(group.cells, fronts))
  void proxy // it ends with this function
  for (const cell of group.cells) cell.server?.ignoreOutput()
  const post = (run: string, all: number): Promise<Measured[]> =>
    Promise.all(
      group.cells.map((cell, nth) =>
        postLoad({
          port: fronts[nth] ?? 0,
          connections: CONNECTIONS / count,
          count: all / count,
          secret: CELLS_APP_SECRET,
          lines: cell.lines,
          run: `${run}-${nth}`,
        }),
      ),
    )
  await post('warm', WARM_UP)
  await group.settled()
  const startedMs = performance.now()
  const measured = await post('run', COUNT)
  const answeredMs = Math.max(...measured.map(({ tookMs }) => tookMs))
  const lateMs = performance.now() - startedMs - answeredMs
  await group.settled(DRAIN_DEADLINE_MS)
  const processedMs = performance.now() - startedMs - lateMs
  if (measured.some(({ refused }) => refused > 0)) throw new Error('webhooks were refused')
  return {
    cells: count,
    acknowledgedPerS: COUNT / (answeredMs / 1_000),
    processedPerS: COUNT / (processedMs / 1_000),
    p50Ms: Math.max(...measured.map(({ p50Ms }) => p50Ms)),
    p99Ms: Math.max(...measured.map(({ p99Ms }) => p99Ms)),
  }
}

/** An address of the proxy for each cell, as each has a host name. */
const configOf = (cells: Cell[], fronts: number[]): string =>
  [
    'defaults',
    '\tmode http',
    '\ttimeout connect 5s',
    '\ttimeout client 75s',
    '\ttimeout server 75s',
    ...cells.flatMap(({ name, port }, nth) => [
      `listen ${name}`,
      `\tbind 127.0.0.1:${fronts[nth]}`,
      '\toption httpchk GET /ready',
      `\tserver ${name} 127.0.0.1:${port} check inter 2s`,
    ]),
    '',
  ].join('\n')

const lineOf = ({ cells, acknowledgedPerS, processedPerS, p50Ms, p99Ms }: Row): string =>
  `| ${cells} | ${Math.round(acknowledgedPerS)} | ${Math.round(processedPerS)} | ${p50Ms.toFixed(1)} | ${p99Ms.toFixed(1)} |`
