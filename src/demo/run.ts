import { readConfig } from '../config'
import { DAY_MS, SECOND_MS, systemClock } from '../lib/clock'
import { startServer, type StartedServer } from '../server'
import { SIMULATED_APP } from '../simulator/administration'
import type { Simulator } from '../simulator/platform'
import { seededRandom } from '../simulator/random'
import { SIGNUP_CONFIG } from '../simulator/signup-dialog'
import { BAKERY } from './bakery'
import { BIKES } from './bikes'
import type { Business } from './business'
import { addSubscribers } from './early-days'
import { openFolder, type DemoFolder } from './folder'
import { furnish } from './furnish'
import { DAYS, playHistory } from './history'
import { PastClock, PastServer } from './past'
import { APP_SECRET, openPlatform } from './platform'
import { freePort } from './port'
import { beginToday, comeAlive, peopleOf, remindOfTemplates } from './present'
import { Stage } from './stage'
import { demoText } from './text'
import { playToday } from './today'

const BUSINESSES: readonly Business[] = [BAKERY, BIKES]

/** How long the platform reviews a template. The real one takes minutes to a day. */
const REVIEW_MS = 10 * SECOND_MS

/** Where the demo listens and keeps its data. */
export interface DemoOptions {
  host: string
  /** `null`: 8080, or another port if that is taken. */
  port: number | null
  /** `undefined`: a temporary folder. */
  dir: string | undefined
  logLevel: string
  /** Ends a start that is still under way. */
  signal: AbortSignal
}

/** A demo that runs. */
export interface RunningDemo {
  /** What to print. */
  text: string
  stop(): Promise<void>
}

/**
 * Starts the server with two businesses, their history of 90 days, and customers who go on writing
 * on a simulated platform. Throws DataDirError for a folder with real data, and ListenError.
 */
export async function startDemo(options: DemoOptions): Promise<RunningDemo> {
  const folder = openFolder(options.dir)
  const undo: (() => unknown)[] = [() => folder.leave()]
  const stop = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step()
  }
  try {
    const port = await freePort(options)
    const isNew = !folder.isFurnished
    if (isNew) await makeHistory(folder, variablesOf(options, folder, null), options.signal)
    const simulator = await openPlatform(BUSINESSES, {
      approvesAfterMs: REVIEW_MS,
      concurrency: 4,
      seed: systemClock.nowMs(),
    })
    undo.push(() => simulator.stop())
    const server = await serve({ ...variablesOf(options, folder, simulator), PORT: String(port) })
    undo.push(() => server.stop())
    simulator.setCallback(`http://127.0.0.1:${server.port}/api/webhook`)
    for (const [index, business] of BUSINESSES.entries())
      comeAlive(simulator, business, systemClock.nowMs() + index)
    const url = `http://localhost:${server.port}`
    if (isNew) await beginToday(url, BUSINESSES)
    else await remindOfTemplates(simulator, url, BUSINESSES)
    folder.furnished()
    return { text: demoText({ url, dir: options.dir, businesses: BUSINESSES }), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const serve = (variables: Record<string, string>): Promise<StartedServer> =>
  startServer(readConfig(variables), { tell: () => undefined, migrates: true })

/** Where the simulated WhatsApp is, with its pictures: they are fetched like those of any address. */
const addressesOf = ({ url }: Simulator): Record<string, string> => ({
  PLATFORM_BASE_URL: url,
  PLATFORM_DIALOG_URL: url,
  EGRESS_ALLOW: new URL(url).host,
})

/** Returns the settings of the server. Nothing is read from the environment of a real one. */
const variablesOf = (
  { host, logLevel }: DemoOptions,
  { path }: DemoFolder,
  simulator: Simulator | null,
): Record<string, string> => ({
  HOST: host,
  DATA_DIR: path,
  ...(simulator ? addressesOf(simulator) : {}),
  APP_ID: SIMULATED_APP,
  SIGNUP_CONFIG_ID: SIGNUP_CONFIG,
  APP_SECRET,
  PASSWORD_MEMORY_MIB: '8',
  // A power cut may take the last seconds of a demo.
  DB_SYNCHRONOUS: 'normal',
  BACKUP_INTERVAL_HOURS: '0',
  LOG_FORMAT: 'pretty',
  LOG_LEVEL: logLevel,
})

/** Fills a new folder with what the businesses did in the past. */
async function makeHistory(
  { path }: DemoFolder,
  variables: Record<string, string>,
  signal: AbortSignal,
): Promise<void> {
  const nowMs = systemClock.nowMs()
  const random = seededRandom(1)
  const clock = new PastClock(nowMs - DAYS * DAY_MS - DAY_MS)
  const simulator = await openPlatform(BUSINESSES, {
    nowMs: () => clock.nowMs(),
    statuses: ['sent', 'delivered', 'read'],
    concurrency: 4,
  })
  const settings = { ...variables, ...addressesOf(simulator), DATA_DIR: path }
  const past = await PastServer.open(settings, clock, random)
  simulator.setCallback(`${past.url}/api/webhook`)
  try {
    const stage = new Stage(past, simulator, { random, signal })
    const shops = await furnish(past, BUSINESSES)
    const all = shops.map((shop) => ({ shop, ...peopleOf(shop.business) }))
    for (const { shop, subscribers } of all) addSubscribers(stage, shop, subscribers)
    await playHistory(stage, all, nowMs)
    await playToday(stage, all, nowMs)
  } finally {
    await past.close()
    await simulator.stop()
  }
}
