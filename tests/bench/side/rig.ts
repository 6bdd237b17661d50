import { Database } from 'bun:sqlite'
import { rmSync, symlinkSync } from 'node:fs'

import { ADMINS, APP_SECRET, Installation, signIn } from '../../chaos/installation'
import type { BusinessNumber } from '../../../src/simulator/payloads'
import type { Client, Loose } from '../../support/client'
import type { ServerProcess } from '../../support/process'
import { BINARY, PROFILED } from '../figures/binary'
import { SAMPLE_NAMES, type Load, type Measured } from '../load'
import { cpuUsOf, postLoad } from '../processes'
import { Platform, type Remark } from './platform'

const DEADLINE_MS = 300_000
const POLL_MS = 20

/** What is not done yet: deliveries, changes, jobs that could run. */
const UNDONE = `select exists (select 1 from inbound_staging) or exists (select 1 from inbound_events where state in ('pending', 'processing'))
  or exists (select 1 from jobs where state in ('available', 'executing')) as n`

/** What is left of it, by kind and state. */
const LEFT = `select kind, state, count(*) as n from jobs where state in ('available', 'executing') group by kind, state
  union all select 'webhooks', state, count(*) from inbound_events where state in ('pending', 'processing') group by state
  union all select 'webhooks', 'staged', count(*) from inbound_staging`

/** The key of every installation here, so that a database can be moved from one to another. */
export const SECRET_KEY = Buffer.alloc(32, 1).toString('base64')

/** The compiled server, or the profiled one from its sources, with one number that may send 1,000 a second, and its platform. */
export interface Rig {
  installation: Installation
  server: ServerProcess
  admin: Client
  accountId: string
  platform: Platform
  line: BusinessNumber
  /** Posts texts or statuses from a process of its own. */
  post: (
    load: Pick<Load, 'count' | 'perSecond' | 'statusesOf' | 'customersOf'>,
  ) => Promise<Measured>
  /** Waits until everything that was posted is processed. */
  settled: () => Promise<void>
  /** Does something until all that follows from it is done; returns what each of it cost. */
  costOf: (count: number, work: () => Promise<unknown>) => Promise<Cost>
}

/** Processor time of the server and time by the clock. */
export interface Cost {
  cpuUs: number
  perSecond: number
}

/** Starts the compiled server and its platform, lets `work` measure, and takes them down. */
export async function onRig<T>(
  work: (rig: Rig) => Promise<T>,
  { database, ...env }: Record<string, string> & { database?: string } = {},
): Promise<T> {
  await using platform = await Platform.start()
  const { url, phoneId, wabaId, token } = platform.at
  const installation = new Installation(
    { PLATFORM_BASE_URL: url, SECRET_KEY, RATE_BULK: '0', BACKUP_INTERVAL_HOURS: '0', ...env },
    PROFILED ?? [BINARY],
  )
  try {
    await connect(installation, { phoneId, wabaId, token })
    if (database !== undefined) linkDatabase(database, installation.databasePath)
    await using server = await installation.start()
    server.ignoreOutput()
    await platform.tell({ callback: `${server.url}/api/webhook` })
    const line = { phoneNumberId: phoneId, wabaId, displayPhoneNumber: '15550100001' }
    const run = crypto.randomUUID().slice(0, 8)
    let runs = 0
    const settled = () => untilDone(installation)
    const admin = await signIn(server.url, ADMINS[0])
    const { data: accounts } = await admin.get('/api/accounts')
    const result = await work({
      installation,
      server,
      admin,
      accountId: String((accounts['items'] as Loose[])[0]?.['id']),
      platform,
      line,
      post: (load) =>
        postLoad({
          port: Number(new URL(server.url).port),
          connections: 64,
          secret: APP_SECRET,
          lines: [line],
          run: `${run}-${(runs += 1)}`,
          ...load,
        }),
      settled,
      async costOf(count, does) {
        await settled()
        const [cpuUs, startedMs] = [cpuUsOf(server.pid), performance.now()]
        await does()
        await settled()
        const tookS = (performance.now() - startedMs) / 1_000
        return { cpuUs: (cpuUsOf(server.pid) - cpuUs) / count, perSecond: count / tookS }
      },
    })
    await server.stop()
    return result
  } finally {
    installation.remove()
  }
}

/** Connects the number and lets it send as fast as the platform allows anybody. */
async function connect(
  installation: Installation,
  at: { phoneId: string; wabaId: string; token: string },
): Promise<void> {
  const server = await installation.start()
  const admin = await signIn(server.url, ADMINS[0])
  const { status } = await admin.post('/api/accounts', {
    name: 'Main',
    phone_id: at.phoneId,
    business_id: at.wabaId,
    access_token: at.token,
  })
  if (status !== 201) throw new Error(`the number could not be connected: ${status}`)
  await admin.post('/api/templates/sync', {})
  await server.stop()
  const database = new Database(installation.databasePath)
  database.run(
    "update accounts set throughput_level = 'HIGH', messaging_limit_tier = 'TIER_UNLIMITED'",
  )
  database.close()
}

/** Has the server work on a database that a rig wrote before, where it lies. */
function linkDatabase(path: string, at: string): void {
  rmSync(at)
  symlinkSync(path, at)
}

async function untilDone(installation: Installation): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS
  using reading = installation.reading()
  while (reading.rows<{ n: number }>(UNDONE)[0]?.n !== 0) {
    if (performance.now() > deadlineMs)
      throw new Error(`not done in time: ${JSON.stringify(reading.rows(LEFT))}`)
    await Bun.sleep(POLL_MS)
  }
}

/** Customers who write, by number. */
export const FIRST_CUSTOMER = 15_560_000_000

/** The n-th remark of so many customers; one of so many has an image. */
export function remarkOf(
  nth: number,
  { customers, imageEvery }: { customers: number; imageEvery: number },
): Remark {
  const customer = nth % customers
  return {
    waId: String(FIRST_CUSTOMER + customer),
    userId: `US.${15_560_000_000_000_000_000n + BigInt(customer)}`,
    name: SAMPLE_NAMES[customer % SAMPLE_NAMES.length] ?? '',
    text: `Hello, is order ${7_700_000_000 + nth} on its way?`,
    isImage: nth % imageEvery === imageEvery - 1,
  }
}

/** Runs work for 0, 1, 2 … with so many at the same time. */
export async function each(
  count: number,
  atOnce: number,
  work: (nth: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const one = async (): Promise<void> => {
    for (let nth = next++; nth < count; nth = next++) await work(nth)
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}
