import { and, eq, sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import type { Clock } from '../lib/clock'
import type { Ids } from '../lib/ids'
import type { Random } from '../lib/random'
import type { Vault } from '../lib/secret'
import type { PlatformClient } from '../platform/client/client'
import type { Db } from './db/connection'
import type { Tx } from './db/transact'
import type { EventLoop } from './event-loop'
import type { Actor } from './actor'
import type { BackupStore } from './backup/store'
import type { FileStore } from './files/store'
import type { GuardedFetch } from './guarded-fetch'
import type { Log } from './log'
import type { Metrics } from './metrics/metrics'
import type { ReadPool } from './read/pool'
import type { Settings } from './settings'
import type { TableFate } from './table-fates'
import type { ConcurrencyLimiter } from './throttle/concurrency-limit'
import type { Permission } from './permissions'
import type { Throttle } from './throttle/failures'
import { NIL_UUID } from './db/uuid'
import { place, uuidsIn } from './db/compiled'

/**
 * Handlers that run in the same transaction when a hook is triggered (`transaction-hooks.ts`), by
 * hook name.
 */
export type HookHandlers = ReadonlyMap<
  string,
  readonly { handle: (tx: Tx, ctx: Ctx, payload: unknown) => void }[]
>

/** Hooks that run in the transaction that discards or retries a job, by job name. */
export type JobHooks = ReadonlyMap<
  string,
  {
    whenDiscarded?: (tx: Tx, ctx: JobCtx, args: unknown, reason: string) => void
    whenRetried?: (tx: Tx, ctx: Ctx, args: unknown) => void
  }
>

/**
 * Dependencies of the whole program: built once at startup and passed to every function, never
 * imported as values.
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
  /** Limits how many spreadsheets are read at the same time. */
  sheetQueue: ConcurrencyLimiter
  /** Limits how many images are decoded at the same time. */
  thumbnailQueue: ConcurrencyLimiter
  files: FileStore
  /** Fetches URLs that users provide, with protection against requests to internal addresses. */
  fetchGuarded: GuardedFetch
  /** Runs lists and reports in threads. */
  reads: ReadPool
  hookHandlers: HookHandlers
  /** Lets long work yield to requests. */
  eventLoop: EventLoop
  jobHooks: JobHooks
  /** The event log's ID, and the position up to which the relay has published events. */
  eventLog: { logId: string; relayedUpTo: number }
  backups: BackupStore
  /** All tables, and what happens to their rows when an organization leaves. */
  tables: readonly TableFate[]
  /** The version of this program. */
  version: string
  /** The commit that it was built from; `null` if it runs from its source. */
  commit: { hash: string; committedAt: string } | null
}

/** Where a request comes from, for the audit log. */
export interface RequestOrigin {
  ipAddress: string
  userAgent: string
  requestId: string
}

/** The context of one request or job: dependencies, organization and caller. */
export interface Ctx extends Deps {
  organizationId: string
  actor: Actor
  /** `null` for background work. */
  origin: RequestOrigin | null
}

/** The context of a job run: its organization and the facts of this attempt. */
export interface JobCtx extends Ctx {
  jobId: string
  /** 1 for the first run. */
  attempt: number
  isLastAttempt: boolean
  /** Key of the gate that admitted the job; empty if it has none. */
  gateKey: string
  /** Aborted when the job times out or the server stops. */
  signal: AbortSignal
}

/** Used instead of an organization ID for work that concerns the whole installation. */
export const INSTALLATION = NIL_UUID

/** Returns the context of a request in the actor's organization. */
export const ctxOf = (deps: Deps, actor: Actor, origin: RequestOrigin | null = null): Ctx => ({
  ...deps,
  organizationId: actor.organizationId,
  actor,
  origin,
})

/** Returns the context of background work in one organization. It has every permission there. */
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

/** Whether the actor has a permission. Super admins and the program itself have all of them. */
export const hasPermission = (actor: Actor, permission: Permission): boolean =>
  actor.isSuperAdmin || actor.permissions.has(permission)

/**
 * The organization whose rows a query reads. A compiled query has a placeholder instead of the ID.
 */
export interface Scope {
  organizationId: string | ((column: SQLiteColumn) => SQL)
}

/** The scope of a compiled query; each run provides `organizationId`. */
export const anyScope: Scope = { organizationId: (column) => place(column, 'organizationId') }

/**
 * Returns the condition that limits a query to this scope's organization, combined with further
 * conditions. The architecture test requires it in every query of tenant data.
 */
export function inOrganization(
  scope: Scope,
  table: { organizationId: SQLiteColumn },
  ...conditions: (SQL | undefined)[]
): SQL {
  const { organizationId: id } = scope
  const own = eq(table.organizationId, typeof id === 'string' ? id : id(table.organizationId))
  return and(own, ...conditions) ?? own
}

/**
 * Marks a query that reads more than one organization on purpose and returns `condition` unchanged.
 * `reason` says why no tenant sees the data of another. Every query of tenant data uses this or
 * {@link inOrganization}.
 */
export const acrossOrganizations = (reason: string, condition?: SQL): SQL | undefined => {
  void reason // for the reader
  return condition
}

/**
 * Returns the condition of a compiled query that a column equals one of several IDs. Each run
 * provides `ids`, a JSON array.
 */
export const hasIdIn = (column: SQLiteColumn): SQL =>
  sql`${column} in ${uuidsIn(sql.placeholder('ids'))}`
