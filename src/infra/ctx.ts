import { and, eq, sql, type Placeholder, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Clock } from '../lib/clock'
import type { Ids } from '../lib/ids'
import type { Random } from '../lib/random'
import type { Vault } from '../lib/secret'
import type { PlatformClient } from '../platform/client/client'
import type { Db } from './db/connection'
import type { Tx } from './db/transact'
import type { EventLoop } from './event-loop'
import type { BackupStore } from './backup/store'
import type { FileStore } from './files/store'
import type { GuardedFetch } from './guarded-fetch'
import type { Log } from './log'
import type { Metrics } from './metrics/metrics'
import type { Settings } from './settings'
import type { Queue } from './throttle/concurrency-limit'
import type { Permission } from './permissions'
import type { Throttle } from './throttle/failures'
import { place } from './db/place'

/**
 * What follows in the same transaction when something happens (`moments.ts`), by the name of the
 * moment.
 */
export type Followers = ReadonlyMap<
  string,
  readonly { follow: (tx: Tx, ctx: Ctx, told: unknown) => void }[]
>

/** What happens in the transaction that discards or revives a job, by the name of the job. */
export type JobHooks = ReadonlyMap<
  string,
  {
    whenDiscarded?: (tx: Tx, ctx: JobCtx, args: unknown, reason: string) => void
    whenRetried?: (tx: Tx, ctx: Ctx, args: unknown) => void
  }
>

/**
 * What the whole program is made of: built once at start, passed to everything, never imported as a
 * value.
 */
export interface Deps {
  db: Db
  clock: Clock
  ids: Ids
  random: Random
  log: Log
  metrics: Metrics
  vault: Vault
  settings: Settings
  platform: PlatformClient
  throttle: Throttle
  /** Where files that are tables wait until they are read. */
  sheetQueue: Queue
  files: FileStore
  /** How an address that a customer names is fetched. */
  fetchGuarded: GuardedFetch
  followers: Followers
  /** Gives long work its turns. */
  eventLoop: EventLoop
  jobHooks: JobHooks
  /** The identity of the event log, and the event up to which the relay has passed it on. */
  eventLog: { logId: string; relayedUpTo: number }
  backups: BackupStore
  /** The version of this program. */
  version: string
}

/** Who does something in an organization: a signed-in person, an API key, or the program itself. */
export interface Actor {
  type: 'user' | 'api_key' | 'system'
  organizationId: string
  userId: string | null
  userName: string | null
  sessionId: string | null
  apiKeyId: string | null
  isSuperAdmin: boolean
  /** `resource:action` pairs of the membership's role, read for this request. */
  permissions: ReadonlySet<string>
  /** When the access token was issued, Unix seconds. */
  issuedAtS?: number
  /** The refresh token that was handed out with the access token. */
  refreshTokenId?: string | undefined
  /** When the credential ends, in epoch milliseconds; `null` for the program itself. */
  expiresAtMs: number | null
}

/** Where a request comes from, for the audit log. */
export interface RequestOrigin {
  ipAddress: string
  userAgent: string
  requestId: string
}

/**
 * The scope of one request or job: the program's parts, the organization it works in and who asked.
 */
export interface Ctx extends Deps {
  organizationId: string
  actor: Actor
  /** `null` for the program's own work. */
  origin: RequestOrigin | null
}

/** The scope a job runs in: its organization, and what it needs to know about this run. */
export interface JobCtx extends Ctx {
  jobId: string
  /** 1 for the first run. */
  attempt: number
  isLastAttempt: boolean
  /** The gate it came through; empty when it waits at none. */
  gateKey: string
  /** Aborted when the job's time is over or the server stops. */
  signal: AbortSignal
}

/** Stands for an organization id where work concerns the whole installation. */
export const INSTALLATION = 'installation'

/** The scope of a request: the actor's organization. */
export const ctxOf = (deps: Deps, actor: Actor, origin: RequestOrigin | null = null): Ctx => ({
  ...deps,
  organizationId: actor.organizationId,
  actor,
  origin,
})

/** The scope of the program's own work in one organization; it may see and do everything there. */
export const systemCtx = (deps: Deps, organizationId: string): Ctx =>
  ctxOf(deps, {
    type: 'system',
    organizationId,
    userId: null,
    userName: null,
    sessionId: null,
    apiKeyId: null,
    isSuperAdmin: true,
    permissions: new Set(),
    expiresAtMs: null,
  })

/** Whether the actor holds a permission; super admins and the program itself hold them all. */
export const hasPermission = (actor: Actor, permission: Permission): boolean =>
  actor.isSuperAdmin || actor.permissions.has(permission)

/**
 * Whose rows a query is about: an organization, or in a compiled query the place its id is filled
 * in.
 */
export interface Scope {
  organizationId: string | Placeholder
}

/** The scope of a compiled query: each run fills in `organizationId`. */
export const anyScope: Scope = { organizationId: place('organizationId') }

/**
 * The condition every query of tenant data starts with: rows of this scope's organization, and
 * whatever else is asked. A query without it does not pass the architecture test.
 */
export function inOrganization(
  scope: Scope,
  table: { organizationId: SQLiteColumn },
  ...conditions: (SQL | undefined)[]
): SQL {
  const own = eq(table.organizationId, scope.organizationId)
  return and(own, ...conditions) ?? own
}

/**
 * The condition of a query that looks beyond one organization on purpose: `condition` itself.
 * `reason` says why that shows no tenant the data of another. A query of tenant data has either
 * this or {@link inOrganization}.
 */
export const acrossOrganizations = (reason: string, condition?: SQL): SQL | undefined => {
  void reason // for the reader
  return condition
}

/**
 * The condition of a compiled query that a column is one of some ids: each run fills in `ids`, a
 * list as JSON.
 */
export const hasIdIn = (column: SQLiteColumn): SQL =>
  sql`${column} in (select value from json_each(${sql.placeholder('ids')}))`
