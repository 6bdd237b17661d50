import { join } from 'node:path'
import type { Config } from './config'
import { addressMatcher, clientAddressReader } from './lib/address'
import { MINUTE_MS, SECOND_MS, systemClock, type Clock } from './lib/clock'
import { UnavailableError } from './lib/errors'
import { timeSortedIds, type Ids } from './lib/ids'
import { systemRandom, type Random } from './lib/random'
import { createPlatformClient, type PlatformClient } from './platform/client/client'
import type { CopyFacts, CopyOrder } from './infra/backup/copy-database'
import type { BackupStore } from './infra/backup/store'
import type { VerifyOrder } from './infra/backup/verify'
import type { Deps } from './infra/ctx'
import { backupsIn, type DataDir } from './infra/data-dir'
import type { Db } from './infra/db/connection'
import { openFiles, type FileStore } from './infra/files/store'
import { createGuardedFetch } from './infra/guarded-fetch'
import { createHub, type Hub } from './infra/hub'
import type { LoggedEvent } from './infra/outbox/events'
import { createIdempotency } from './infra/idempotency/store'
import { hooksOf } from './infra/jobs/work'
import { Worker } from './infra/jobs/worker'
import { openVault } from './infra/keys/keyring'
import type { Log } from './infra/log'
import { createMetrics, type Metrics } from './infra/metrics/metrics'
import { instrumentPlatform } from './infra/metrics/instrument-platform'
import { ReadPool } from './infra/read/pool'
import { ReplicaWatch } from './infra/replica/watch'
import { saveProxySigns } from './infra/proxy-signs'
import { createRelay, openEventLog, type Relay } from './infra/outbox/relay'
import type { Settings } from './infra/settings'
import { StorageWatch } from './infra/storage-health'
import { handlersOf } from './infra/transaction-hooks'
import { runInThread } from './infra/run-in-thread'
import {
  createConcurrencyLimiter,
  type ConcurrencyLimiter,
} from './infra/throttle/concurrency-limit'
import { createThrottle } from './infra/throttle/failures'
import { RequestDeadlines, TIME_LIMITS } from './http/time-limits'
import { DeliverySummary } from './http/delivery-summary'
import type { Http } from './http/http-deps'
import { ProxyWatch } from './http/proxy-watch'
import { createRateLimiter, type RateLimiter } from './http/rate-limit'
import {
  KEYS_PER_ORGANIZATION,
  sharedRate,
  DOWNLOADS_PER_REQUEST,
  OPENINGS_PER_REQUEST,
  type RequestBucket,
} from './http/count-request'
import {
  createAuthenticate,
  type CredentialServices,
} from './modules/organization/auth/authenticate'
import { createAuthenticateMedia } from './modules/organization/auth/authenticate-media'
import { createCallerCache } from './modules/organization/auth/caller-cache'
import type { AuthParts } from './modules/organization/auth/issue-tokens'
import { createTokens } from './modules/organization/auth/tokens'
import { createLongStandingMembers } from './modules/organization/memberships/long-standing'
import { IngestQueue } from './modules/channel/inbound/journal/ingest'
import { IngestLoop } from './modules/channel/inbound/journal/ingest-loop'
import { Journal } from './modules/channel/inbound/journal/staging-queue'
import { createDeliveryReceiver, type DeliveryReceiver } from './modules/channel/inbound/receive'
import type { FrameHandler } from './modules/delivery/realtime/client-frames'
import { createReplays } from './modules/inbox/contact-operations/replays'
import { LiveFigures } from './modules/delivery/realtime/live-figures'
import { createRealtime } from './modules/delivery/realtime/service'
import {
  publishEvents,
  type AccessReview,
  type Listeners,
} from './modules/delivery/realtime/publish'
import { DiskReserve } from './modules/operation/system/disk-reserve'
import { HealthWatch } from './modules/operation/system/health/watch'
import type { Lifecycle } from './modules/operation/system/readiness'
import { isHeld } from './modules/organization/organizations/service'
import { createPasswordHasher } from './modules/organization/users/password'
import { READ_DOCUMENT } from './document-command'
import type { ArchiveFacts, ArchiveOrder } from './modules/data/organization-archive/write/order'
import { archiveWriter } from './modules/data/organization-archive/write/writer'
import { createProcessState } from './process-state'
import { createRegistry, type Registry } from './registry'
import { RELEASE } from './version'
import { publishDelivery } from './modules/delivery/webhooks/delivery/watch'
import { publishToListeners } from './modules/delivery/webhooks/log/publish'
import { WebhookReader } from './modules/delivery/webhooks/log/reader'
import type { Secrets } from './secrets'

/** Parts around the program that differ in tests. */
export interface Environment {
  clock: Clock
  ids: Ids
  random: Random
  log: Log
  db: Db
  platform: PlatformClient
  files: FileStore
}

/** The whole program, put together and not yet listening. */
export interface Program {
  http: Http
  auth: AuthParts
  /** Limits concurrent sign-ins. */
  signInLimiter: ConcurrencyLimiter
  hub: Hub
  relay: Relay
  worker: Worker
  registry: Registry
  ingestQueue: IngestQueue
  /** Moves answered webhooks into the journal. */
  ingest: IngestLoop
  journal: Journal
  /** Makes deliveries to customers' endpoints from committed events. */
  webhookReader: WebhookReader
  receiver: DeliveryReceiver
  realtime: FrameHandler
  lifecycle: Lifecycle
  health: HealthWatch
}

/** The settings features read while running. */
const settingsOf = (config: Config, secrets: Secrets): Settings => ({
  ...config,
  get webhookVerifyToken() {
    return secrets.webhookVerifyToken
  },
  get appSecrets() {
    return secrets.appSecrets
  },
})

/** The machine's clock, identifiers and randomness. */
export const machine = (): Pick<Environment, 'clock' | 'ids' | 'random'> => ({
  clock: systemClock,
  ids: timeSortedIds(systemClock),
  random: systemRandom,
})

/** Opens the file store beside the database. */
export const filesOf = (dir: Pick<DataDir, 'path'>): FileStore => openFiles(join(dir.path, 'media'))

/** The client for the platform the configuration names. */
export const platformOf = (config: Config, clock: Clock): PlatformClient =>
  createPlatformClient({
    baseUrl: config.platformBaseUrl,
    archiveUrl: config.platformArchiveUrl,
    mediaHosts: config.platformMediaHosts,
    nowMs: () => clock.nowMs(),
  })

/**
 * Failed signature checks per address and minute at the Flow endpoint that get their real error.
 */
const MAX_UNPROVEN = 60

/** Custom actions that one user may run per minute. */
const MAX_CUSTOM_ACTIONS = 10

/** The counters of requests, per caller or address, and per organization. */
function limitersOf({ db, settings, clock, metrics }: Deps): Http['limiters'] {
  const rates = {
    standard: settings.rateStandard,
    bulk: settings.rateBulk,
    sockets: Math.ceil(settings.rateStandard * OPENINGS_PER_REQUEST),
    downloads: settings.rateStandard * DOWNLOADS_PER_REQUEST,
    suggestions: settings.rateStandard,
  }
  const membersOf = createLongStandingMembers({ db, clock })
  const counted = (
    bucket: RequestBucket,
    perMinute: number | ((key: string) => number),
  ): RateLimiter =>
    createRateLimiter({
      perMinute,
      clock,
      refused: () => metrics.rateLimited.inc({ bucket }),
    })
  const ofEach = (limit: (bucket: RequestBucket) => number | ((key: string) => number)) => ({
    standard: counted('standard', limit('standard')),
    bulk: counted('bulk', limit('bulk')),
    sockets: counted('sockets', limit('sockets')),
    downloads: counted('downloads', limit('downloads')),
    suggestions: counted('suggestions', limit('suggestions')),
  })
  return {
    ...ofEach((bucket) => rates[bucket]),
    keysTogether: ofEach((bucket) => KEYS_PER_ORGANIZATION * rates[bucket]),
    allTogether: ofEach(
      (bucket) => (organizationId) => sharedRate(rates[bucket], membersOf(organizationId)),
    ),
    unproven: createRateLimiter({ perMinute: MAX_UNPROVEN, clock }),
    customActions: createRateLimiter({ perMinute: MAX_CUSTOM_ACTIONS, clock }),
  }
}

/** Facts about the routes, filled in when the app is created. */
const unknownRoutes = (): Pick<
  Http,
  | 'creatingRoutes'
  | 'idPlaces'
  | 'oversizedFinders'
  | 'credentialRoutes'
  | 'startParts'
  | 'patterns'
> => ({
  creatingRoutes: new Map(),
  idPlaces: new Map(),
  oversizedFinders: new Map(),
  credentialRoutes: new Set(),
  startParts: [],
  patterns: [],
})

const backupThread = () =>
  new globalThis.Worker(new URL('./backup-worker.ts', import.meta.url).href)

/**
 * Returns the backup store, which copies databases in a thread. Copies made before upgrades are
 * always in the data folder.
 */
export function backupStoreOf({ backups }: Config, dataDir: string | null): BackupStore {
  const own = dataDir === null ? backups.dir : backupsIn(dataDir)
  return {
    folder: backups.dir ?? own,
    upgradeCopies: own,
    copy: runInThread<CopyOrder, CopyFacts>(backupThread),
    verify: runInThread<VerifyOrder, string | null>(backupThread),
  }
}

/** Writes the archive of an organization in a thread. */
const writeInThread = runInThread<ArchiveOrder, ArchiveFacts | { problem: string }>(
  () => new globalThis.Worker(new URL('./archive-worker.ts', import.meta.url).href),
)

/** Returns what copies data out of the server and takes archives in. */
const copiersOf = (
  config: Config,
  { db, secrets, dataDir }: { db: Db; secrets: Secrets; dataDir: string | null },
): Pick<Deps, 'archives' | 'backups' | 'incomingFolder'> => ({
  archives: archiveWriter(db, secrets.roots, writeInThread),
  backups: backupStoreOf(config, dataDir),
  incomingFolder: dataDir === null ? null : join(dataDir, 'incoming'),
})

/**
 * Returns the command that reads documents in a process of its own: this executable, or the source
 * file where there is none.
 */
const documentReaderOf = (): readonly string[] =>
  Bun.embeddedFiles.length > 0 || import.meta.path.startsWith('/$bunfs/')
    ? [process.execPath, READ_DOCUMENT]
    : [process.execPath, new URL('./document-reader.ts', import.meta.url).pathname]

/** A file waits up to two minutes for a slot to be read; its request has six minutes. */
const SHEET_LIMITS = {
  longestWaitMs: 2 * MINUTE_MS,
  refusal: () =>
    new UnavailableError(
      'The server is busy with other files. Send the file again in a minute.',
      60,
      {
        code: 'files_busy',
      },
    ),
}

/** A thumbnail waits up to ten seconds for those before it. */
const THUMBNAIL_LIMITS = {
  longestWaitMs: 10 * SECOND_MS,
  refusal: () =>
    new UnavailableError('The server is busy with other images. Try again in a few seconds.'),
}

/** Creates the queues of work that needs much memory: reading spreadsheets and decoding images. */
const fileQueuesOf = (clock: Clock): Pick<Deps, 'sheetQueue' | 'thumbnailQueue'> => ({
  sheetQueue: createConcurrencyLimiter(clock, SHEET_LIMITS),
  thumbnailQueue: createConcurrencyLimiter(clock, THUMBNAIL_LIMITS),
})

/** Creates the functions that find the caller of a request. */
const authenticatorsOf = (
  deps: Deps,
  credentials: CredentialServices,
): Pick<Http, 'authenticate' | 'authenticateMedia'> => ({
  authenticate: createAuthenticate(deps, credentials),
  authenticateMedia: createAuthenticateMedia(deps, credentials.callers),
})

/**
 * Creates the parts that observe client addresses and proxies, and the delivery summary for the
 * log.
 */
const observersOf = (
  config: Config,
  { clock, log }: Environment,
  dataDir: string | null,
): Pick<Http, 'clientAddress' | 'proxies' | 'deliverySummary'> => ({
  clientAddress: clientAddressReader(config.trustedProxies),
  proxies: new ProxyWatch(
    {
      clock,
      log,
      isTrusted: addressMatcher(config.trustedProxies),
      save: (signs) => saveProxySigns(dataDir, signs),
    },
    config.baseUrl,
  ),
  deliverySummary: new DeliverySummary(log),
})

/** Returns the lifecycle of a process that is starting. */
function lifecycleOf(
  { replicaPath }: Config,
  { clock, log }: Pick<Environment, 'clock' | 'log'>,
  dataDir: string | null,
): Lifecycle {
  const thread = () => new globalThis.Worker(new URL('./replica-worker.ts', import.meta.url).href)
  const lifecycle: Lifecycle = {
    phase: 'starting',
    startedAtMs: clock.nowMs(),
    dataDir,
    reserve: new DiskReserve(log, () => lifecycle.dataDir),
    replica: new ReplicaWatch({ clock, log }, replicaPath, thread),
  }
  return lifecycle
}

/** Returns a function that sends committed events to sockets; what is watched besides, they get, too. */
function publisherOf(deps: Deps, hub: Hub) {
  const figures = new LiveFigures(deps, hub)
  deps.webhookTraffic.onChange = (delivery) => {
    publishDelivery(deps, hub, delivery)
  }
  return (batch: LoggedEvent[], sockets: AccessReview & Listeners): void => {
    publishEvents(deps, hub, batch, sockets)
    publishToListeners(deps, hub, batch)
    figures.note(batch)
  }
}

const throttleOf = (
  deps: Parameters<typeof createThrottle>[0],
  queue: ConcurrencyLimiter,
  metrics: Metrics,
): Deps['throttle'] =>
  createThrottle(deps, { queue, refused: (bucket) => metrics.rateLimited.inc({ bucket }) })

/** Creates the sockets, and what tells them how the server is. */
function watchedRealtime(
  deps: Deps,
  credentials: CredentialServices,
  { lifecycle, ...around }: { relay: Relay; hub: Hub; lifecycle: Lifecycle },
): Pick<Program, 'health' | 'realtime'> {
  const health = new HealthWatch(deps, lifecycle, around.hub)
  const swept = (): void => health.look()
  const { logId } = deps.eventLog
  return { health, realtime: createRealtime(deps, credentials, { ...around, logId, swept }) }
}

/** Puts the program together. Nothing runs and nothing listens yet. */
export function createProgram(
  config: Config,
  secrets: Secrets,
  around: Environment,
  dataDir: string | null,
): Program {
  const settings = settingsOf(config, secrets)
  const queue = createConcurrencyLimiter(around.clock)
  const registry = createRegistry()
  const metrics = createMetrics()
  around.db.storage = new StorageWatch(around.log, around.clock)
  around.db.watch = {
    took: (seconds) => metrics.dbTransaction.observe(seconds),
    busy: () => metrics.dbBusy.inc(),
  }
  const vault = openVault(around, secrets.roots)
  const deadlines = new RequestDeadlines({ ...TIME_LIMITS })
  const deps: Deps = {
    ...around,
    metrics,
    platform: instrumentPlatform(around.platform, metrics),
    settings,
    vault,
    throttle: throttleOf({ ...around, vault }, queue, metrics),
    ...fileQueuesOf(around.clock),
    fetchGuarded: createGuardedFetch(config.egress),
    hookHandlers: handlersOf(registry.hooks),
    ...createProcessState(),
    reads: new ReadPool(),
    jobHooks: hooksOf(registry.workers),
    eventLog: { logId: openEventLog(around).logId, relayedUpTo: 0 },
    ...copiersOf(config, { db: around.db, secrets, dataDir }),
    documentReader: documentReaderOf(),
    openRequests: deadlines,
    tables: registry.tables,
    ...RELEASE,
  }
  const hasher = createPasswordHasher(settings.passwordMemoryMib, queue, around.clock)
  const auth: AuthParts = { tokens: createTokens(secrets.roots, around.clock), hasher }
  const credentials = { tokens: auth.tokens, callers: createCallerCache(deps) }
  const http: Http = {
    ...deps,
    ...authenticatorsOf(deps, credentials),
    ...observersOf(config, around, dataDir),
    limiters: limitersOf(deps),
    idempotency: createIdempotency(deps),
    replays: createReplays(deps),
    deadlines,
    ...unknownRoutes(),
  }
  const hub = createHub((type, sockets) => metrics.wsFrames.inc({ type }, sockets))
  const publish = publisherOf(deps, hub)
  const relay: Relay = createRelay(deps, registry.subscribers, (batch) => {
    publish(batch, realtime.sockets)
    webhookReader.loop.wake()
  })
  const webhookReader = new WebhookReader(deps)
  const ingestQueue = new IngestQueue(deps)
  const worker = new Worker(deps, registry, (id, queue) => isHeld(deps, id, queue))
  const journal = new Journal(deps, ingestQueue)
  const lifecycle = lifecycleOf(config, around, dataDir)
  const { health, realtime } = watchedRealtime(deps, credentials, { relay, hub, lifecycle })
  return {
    http,
    auth,
    signInLimiter: queue,
    hub,
    relay,
    worker,
    registry,
    ingestQueue,
    ingest: new IngestLoop(deps, ingestQueue),
    journal,
    webhookReader,
    receiver: createDeliveryReceiver(deps, journal),
    realtime,
    lifecycle,
    health,
  }
}
