import { setPriority } from 'node:os'
import { join } from 'node:path'

import { ADMINS, APP_SECRET, Installation, signIn } from '../chaos/installation'
import { startSimulator, type Simulator } from '../../src/simulator/platform'
import { platformJson, signatureOf } from '../../src/simulator/signing'
import { Client } from '../support/client'
import type { ServerProcess } from '../support/process'
import { probe, quantile, timed, type Timed } from './probe'
import { mainThreadOf, startYardstick } from './processes'
import { machineOf, save } from './report'

const CHANGES = 100_000
const PER_BODY = 20_000
const PERSON = '4915112345678'
const OTHERS = 3_000
/** The distance of the person's changes. */
const EVERY_NTH = 10
const TARGET_P99_MS = 50
const REST_MS = 10_000
const POLL_MS = 250

/** A delivery, a part of one, a change or a replay that is not processed yet. */
const WAITING = `select 1 from inbound_staging union all select 1 from inbound_events where state in ('pending', 'processing')
  union all select 1 from jobs where state in ('scheduled', 'available', 'executing', 'retryable') and queue = 'inbound'
  union all select 1 from jobs where state in ('scheduled', 'available', 'executing', 'retryable') and kind = 'inbound.replay' limit 1`

/** What requests of others took while something was done. */
interface Row {
  when: string
  tookMs: number
  ours: Timed[]
  bare: Timed[]
  /**
   * The longest time for which nobody else had a turn in the server, and the longest for which it
   * ran meanwhile; 0 below five milliseconds.
   */
  slices: { longestMs: number; ranMs: number }
}

/**
 * The machine stood still where a server that does nothing but answer took longer than this,
 * milliseconds.
 */
const STALL_MS = 15

/**
 * The requests during which the machine did not stand still, and without the time in which the
 * server waited for a processor that others had.
 */
function undisturbed({ ours, bare }: Row): number[] {
  const stalls = bare.filter(({ tookMs }) => tookMs > STALL_MS)
  const isApart = (one: Timed, stall: Timed): boolean =>
    one.sentMs + one.tookMs < stall.sentMs || stall.sentMs + stall.tookMs < one.sentMs
  return ours
    .filter((one) => stalls.every((stall) => isApart(one, stall)))
    .map(({ ownMs }) => ownMs)
}

/**
 * Where it may, the server goes before other programs of the machine, and so do its clients.
 */
const FIRST = -15

/** The server from its sources, telling of each time nothing else could have its turn for long. */
const WATCHED = [
  'nice',
  '-n',
  String(FIRST),
  process.execPath,
  '--preload',
  join(import.meta.dir, 'slices.ts'),
  join(import.meta.dir, '../../src/main.ts'),
]

/**
 * Measures what the requests of one organization take while another one has an archive of a person
 * written, its deliveries processed again, and the person erased: 100,000 changes in bodies of
 * 20,000, or as many as the first word says, every tenth one of that person. On a machine that is
 * busy otherwise the server waits for the processor and others with it, so that time is taken off,
 * and requests are left out during which a bare server had to wait as well. Prints a table;
 * `isSaved` writes it to `results`. Throws when p99 is 50 ms or more.
 */
export async function benchPrivacy(options: { isSaved: boolean; words: string[] }): Promise<void> {
  const changes = Number(options.words[0] ?? CHANGES)
  goFirst()
  await using simulator = await startSimulator({ phones: [] })
  const installation = new Installation(
    { PLATFORM_BASE_URL: simulator.url, RATE_BULK: '0' },
    WATCHED,
  )
  try {
    await (await installation.start()).stop()
    await installation.addSecondOrganization()
    await using server = await installation.start()
    await using bare = await startYardstick('bare.ts', installation.folder)
    const bench = new Bench(installation, { server, bare }, await signIn(server.url, ADMINS[1]))
    const first = await signIn(server.url, ADMINS[0])
    server.ignoreOutput()
    const phone = await connect(simulator, first)
    await probe(await signIn(server.url, ADMINS[1]), 'warming up', Bun.sleep(3_000))
    const rows = [await bench.during('at rest', () => Bun.sleep(REST_MS))]
    await deliver(bench, phone, changes)
    const { data } = await first.get(`/api/contacts?search=${PERSON}`)
    const [person] = data['items'] as { id: string }[]
    const path = `/api/contacts/${person?.id}`
    rows.push(
      await bench.during('archive', () => bench.completed(first, `${path}/privacy-export`, {})),
    )
    rows.push(await bench.during('replay', () => bench.replayed(first)))
    rows.push(
      await bench.during('erasure', () =>
        bench.completed(first, `${path}/erase`, { confirm: person?.id }),
      ),
    )
    rows.push(await bench.during('at rest again', () => Bun.sleep(REST_MS)))
    await server.stop()
    report(installation, { changes, rows }, options.isSaved)
  } finally {
    installation.remove()
  }
}

/** Puts this process before others, if it may. */
function goFirst(): void {
  try {
    setPriority(FIRST)
  } catch {
    console.log('Without the right to go before other programs the times may be theirs.')
  }
}

async function connect(
  simulator: Simulator,
  client: Client,
): Promise<{ id: string; wabaId: string }> {
  const phone = simulator.addPhone({ wabaId: '201000000000001', token: 'token-1' })
  const body = {
    name: 'Main',
    phone_id: phone.id,
    business_id: phone.wabaId,
    access_token: phone.token,
  }
  const { status } = await client.post('/api/accounts', body)
  if (status !== 201) throw new Error(`a number could not be connected: ${status}`)
  return phone
}

/**
 * Posts the changes in as few deliveries as take them, every tenth one of the person, and waits
 * until they are processed.
 */
async function deliver(
  bench: Bench,
  phone: { id: string; wabaId: string },
  count: number,
): Promise<void> {
  const startedMs = performance.now()
  for (let from = 0; from < count; from += PER_BODY) {
    const changes = Array.from({ length: Math.min(PER_BODY, count - from) }, (_none, index) => {
      const nth = from + index
      const sender = nth % EVERY_NTH === 0 ? PERSON : String(15_550_000_000 + (nth % OTHERS))
      const message = {
        from: sender,
        id: `w.${nth}`,
        timestamp: '1790000000',
        text: { body: 'Hi' },
      }
      return {
        field: 'messages',
        value: { metadata: { phone_number_id: phone.id }, messages: [message] },
      }
    })
    await bench.post(
      platformJson({ object: 'whatsapp_business_account', entry: [{ id: phone.wabaId, changes }] }),
    )
  }
  await bench.drained()
  console.log(
    `${count} changes were delivered and processed in ${((performance.now() - startedMs) / 1_000).toFixed(0)} s.`,
  )
}

class Bench {
  private readonly bareClient: Client

  constructor(
    private readonly installation: Installation,
    private readonly processes: { server: ServerProcess; bare: ServerProcess },
    private readonly other: Client,
  ) {
    this.bareClient = new Client(processes.bare.url)
  }

  /** Asks the server and the bare one at a steady pace while something is done. */
  async during(when: string, work: () => Promise<unknown>): Promise<Row> {
    const { server } = this.processes
    const told = server.errors.length
    const startedMs = performance.now()
    const waitedMs = (): number => mainThreadOf(server.pid).waitedMs
    const over = work()
    const [ours, bare] = await Promise.all([
      timed(this.other, over, waitedMs),
      timed(this.bareClient, over),
    ])
    const found = [...server.errors.slice(told).matchAll(/^slice ([\d.]+) ran ([\d.]+)$/gm)]
    const longest = (place: 1 | 2): number =>
      Math.max(0, ...found.map((slice) => Number(slice[place])))
    const row = {
      when,
      tookMs: performance.now() - startedMs,
      ours,
      bare,
      slices: { longestMs: longest(1), ranMs: longest(2) },
    }
    console.log(lineOf(row))
    return row
  }

  async post(body: string): Promise<void> {
    const headers = {
      'content-type': 'application/json',
      'x-hub-signature-256': signatureOf(APP_SECRET, body),
    }
    const { status } = await fetch(`${this.processes.server.url}/api/webhook`, {
      method: 'POST',
      headers,
      body,
    })
    if (status !== 200) throw new Error(`a delivery was answered ${status}`)
  }

  /**
   * Waits until nothing is to become a change of the journal or to be processed; each look is
   * short, for it is this process that measures.
   */
  async drained(): Promise<void> {
    while (this.installation.rows(WAITING).length > 0) await Bun.sleep(POLL_MS)
  }

  /** Asks for something about the person and waits until it is completed. */
  async completed(client: Client, path: string, body: object): Promise<void> {
    const { data, status } = await client.post(path, body)
    if (status !== 201) throw new Error(`${path} answered ${status}`)
    for (let state = 'running'; state !== 'completed';) {
      await Bun.sleep(POLL_MS)
      state = String((await client.get(`/api/privacy/requests/${data['id']}`)).data['state'])
      if (state === 'failed') throw new Error(`${path} failed`)
    }
  }

  /** Has everything processed again and waits for it. */
  async replayed(client: Client): Promise<void> {
    const { data } = await client.post('/api/inbound/replay', { state: 'done' })
    await this.drained()
    console.log(`${data['queued']} changes were processed again.`)
  }
}

const lineOf = (row: Row): string => {
  const own = undisturbed(row)
  const took = (all: Timed[]): number[] => all.map(({ tookMs }) => tookMs)
  const times = [
    quantile(own, 0.5),
    quantile(own, 0.99),
    quantile(own, 1),
    row.slices.ranMs,
    row.slices.longestMs,
  ]
  const all = [quantile(took(row.ours), 0.99), quantile(took(row.bare), 0.99)]
  const columns = [
    row.when,
    (row.tookMs / 1_000).toFixed(0),
    `${own.length} of ${row.ours.length}`,
    ...[...times, ...all].map((ms) => ms.toFixed(1)),
  ]
  return `| ${columns.join(' | ')} |`
}

function report(
  installation: Installation,
  { changes, rows }: { changes: number; rows: Row[] },
  isSaved: boolean,
): void {
  const text = [
    machineOf(installation.folder),
    '',
    `${changes.toLocaleString('en-US')} changes in bodies of ${PER_BODY.toLocaleString('en-US')}, every tenth one of the same person; a request of another organization every 10 ms.`,
    '',
    '| beside | seconds | undisturbed requests | p50 ms | p99 ms | worst ms | longest slice, running | longest slice | p99 of all requests | of a bare server |',
    '|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|',
    ...rows.map(lineOf),
  ].join('\n')
  console.log(`\n${text}\n`)
  if (isSaved) save('privacy', text)
  const slow = rows.filter((row) => quantile(undisturbed(row), 0.99) >= TARGET_P99_MS)
  if (slow.length > 0)
    throw new Error(
      `p99 of others is over ${TARGET_P99_MS} ms: ${slow.map(({ when }) => when).join(', ')}`,
    )
}
