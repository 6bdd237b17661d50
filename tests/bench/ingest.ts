import { join } from 'node:path'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import type { BusinessNumber } from '../../src/simulator/payloads'
import { startSimulator } from '../../src/simulator/platform'
import { ServerProcess } from '../support/process'
import type { Load, Measured } from './load'
import { cpuUsOf, postLoad, rssMibOf } from './processes'
import { machineOf, save } from './report'

const DRAIN_DEADLINE_MS = 120_000

/** A delivery or a change that is not processed yet. */
const WAITING =
  "select 1 from inbound_staging union all select 1 from inbound_events where state in ('pending', 'processing') limit 1"

/** One row of the table: so many connections, the server and the bare one measured in turn. */
interface Row {
  connections: number
  count: number
  acknowledgedPerS: number
  barePerS: number
  p50Ms: number
  p99Ms: number
  processedPerS: number
  cpuUs: number
  rssMib: number
}

/**
 * Measures how many signed text webhooks a second the real server acknowledges and works off,
 * beside a bare server that only answers 200, in turns. Prints a table; `isSaved` writes it to `results`.
 */
export async function benchIngest(options: { isSaved: boolean; steps: number[] }): Promise<void> {
  await using simulator = await startSimulator({ phones: [], enforceWindow: false })
  const phones = [1, 2].map((nth) =>
    simulator.addPhone({ wabaId: `20100000000000${nth}`, token: `token-${nth}` }),
  )
  const lines = phones.map(({ id, wabaId }): BusinessNumber => ({
    phoneNumberId: id,
    wabaId,
    displayPhoneNumber: '15550100001',
  }))
  const installation = new Installation({ PLATFORM_BASE_URL: simulator.url })
  try {
    await (await installation.start()).stop()
    await installation.addSecondOrganization()
    await using server = await installation.start()
    await using bare = await ServerProcess.start({
      cwd: installation.folder,
      command: [process.execPath, join(import.meta.dir, 'bare.ts')],
      env: {},
    })
    for (const [index, email] of ADMINS.entries()) {
      const client = await signIn(server.url, email)
      const phone = phones[index]
      const { status } = await client.post('/api/accounts', {
        name: 'Main',
        phone_id: phone?.id,
        business_id: phone?.wabaId,
        access_token: phone?.token,
      })
      if (status !== 201) throw new Error(`a number could not be connected: ${status}`)
    }
    server.ignoreOutput()
    const bench = new Bench(installation, { server, bare }, lines)
    await bench.warmUp()
    const rows: Row[] = []
    for (const connections of options.steps) rows.push(await bench.measure(connections))
    const report = [machineOf(installation.folder), '', tableOf(rows)].join('\n')
    console.log(`\n${report}`)
    if (options.isSaved) save('ingest', report)
    await server.stop()
  } finally {
    installation.remove()
  }
}

class Bench {
  private runs = 0

  constructor(
    private readonly installation: Installation,
    private readonly processes: { server: ServerProcess; bare: ServerProcess },
    private readonly lines: BusinessNumber[],
  ) {}

  async warmUp(): Promise<void> {
    await this.post(this.processes.bare, 16, 2_000)
    await this.post(this.processes.server, 16, 3_000)
    await this.drained()
  }

  /** One step: the bare server, ours until everything is processed, the bare one again. */
  async measure(connections: number): Promise<Row> {
    const count = connections === 1 ? 2_000 : 10_000
    const { server, bare } = this.processes
    const before = await this.post(bare, connections, count)
    const cpuBefore = cpuUsOf(server.pid)
    const startedMs = performance.now()
    const ours = await this.post(server, connections, count)
    const lateMs = performance.now() - startedMs - ours.tookMs
    await this.drained()
    const processedMs = performance.now() - startedMs - lateMs
    const cpuUs = (cpuUsOf(server.pid) - cpuBefore) / count
    const after = await this.post(bare, connections, count)
    if (ours.refused > 0) throw new Error(`${ours.refused} webhooks were refused`)
    const row = {
      connections,
      count,
      acknowledgedPerS: count / (ours.tookMs / 1_000),
      barePerS: (2 * count) / ((before.tookMs + after.tookMs) / 1_000),
      p50Ms: ours.p50Ms,
      p99Ms: ours.p99Ms,
      processedPerS: count / (processedMs / 1_000),
      cpuUs,
      rssMib: rssMibOf(server.pid),
    }
    console.log(lineOf(row))
    return row
  }

  /** Lets a process of its own post; it signs everything before its clock starts. */
  private async post(server: ServerProcess, connections: number, count: number): Promise<Measured> {
    this.runs += 1
    const load: Load = {
      port: Number(new URL(server.url).port),
      connections,
      count,
      secret: APP_SECRET,
      lines: this.lines,
      run: `bench-${this.runs}`,
    }
    return await postLoad(load)
  }

  /** Waits until every journaled change is processed into rows and events. */
  private async drained(): Promise<void> {
    const deadlineMs = performance.now() + DRAIN_DEADLINE_MS
    while (this.installation.rows(WAITING).length > 0) {
      if (performance.now() > deadlineMs) throw new Error('the journal was not processed in time')
      await Bun.sleep(5)
    }
  }
}

const whole = (value: number): string => Math.round(value).toLocaleString('en-US')

const cellsOf = (row: Row): string[] => [
  String(row.connections),
  whole(row.acknowledgedPerS),
  whole(row.barePerS),
  (row.acknowledgedPerS / row.barePerS).toFixed(3),
  row.p50Ms.toFixed(2),
  row.p99Ms.toFixed(2),
  whole(row.processedPerS),
  (row.processedPerS / row.barePerS).toFixed(3),
  whole(row.cpuUs),
  whole(row.rssMib),
]

const HEADS = [
  'connections',
  'acknowledged/s',
  'bare/s',
  'ratio',
  'ack p50 ms',
  'ack p99 ms',
  'processed/s',
  'ratio',
  'CPU µs each',
  'RSS MiB',
]

const lineOf = (row: Row): string =>
  cellsOf(row)
    .map((cell, index) => `${HEADS[index]} ${cell}`)
    .join('  ')

const tableOf = (rows: Row[]): string =>
  [HEADS, HEADS.map(() => '---:'), ...rows.map(cellsOf)]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n')
