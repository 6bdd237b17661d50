import { Type } from '@sinclair/typebox'
import { and, asc, desc, eq } from 'drizzle-orm'

import { HOUR_MS, MINUTE_MS } from '../../../lib/clock'
import { INSTALLATION, systemCtx, type Ctx, type Deps } from '../../../infra/ctx'
import { folderProblem } from '../../../infra/backup/folder'
import { newManifest, createBackup, type BackupOptions } from '../../../infra/backup/create'
import { writeManifest, type Manifest } from '../../../infra/backup/manifest'
import { transact, type Tx } from '../../../infra/db/transact'
import { defineJob, type AsyncJob, type JobCtx } from '../../../infra/jobs/define'
import { enqueue } from '../../../infra/jobs/enqueue'
import { defineSchedule, type Schedule } from '../../../infra/jobs/schedule'
import { notifyIn } from '../../notifications/service'
import { memberships } from '../../memberships/table'
import { users } from '../../users/table'
import { isBackupDue, missingRoomMessage, pruneBackups, type BackupStore } from './store'

const Args = Type.Object({
  id: Type.String(),
  label: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
  isAutomatic: Type.Boolean(),
})

/** What the job of a backup is told. */
export type BackupArgs = typeof Args.static

/** The jobs of backups, and when it is looked whether one is due. */
export interface BackupJobs {
  make: AsyncJob<BackupArgs>
  look: AsyncJob<Record<string, never>>
  schedule: Schedule
}

/** The jobs over a room that is known once the program is put together. */
export function backupJobs(room: () => BackupStore, program: string): BackupJobs {
  const make = defineJob({
    name: 'system.backup',
    lane: 'default',
    args: Args,
    timeoutMs: 6 * HOUR_MS,
    maxAttempts: 3,
    run: async (ctx, args) => await make_(ctx, room(), { ...args, jobId: ctx.jobId, program }),
  })
  const look = defineJob({
    name: 'system.backup-due',
    lane: 'default',
    args: Type.Object({}),
    run: (ctx) => {
      const { folder } = room()
      const trouble = folder === null ? null : folderProblem(folder)
      if (trouble !== null) return Promise.resolve({ giveUp: trouble })
      pruneBackups(ctx, room())
      if (isBackupDue(ctx, room()))
        transact(
          ctx.db,
          (tx) =>
            void enqueueBackup(tx, ctx, make, { label: null, isVerified: true, isAutomatic: true }),
        )
      return Promise.resolve(undefined)
    },
  })
  return { make, look, schedule: defineSchedule('backup', 10 * MINUTE_MS, look) }
}

/**
 * Enqueues the job of a backup, in the caller's transaction. Returns the ids of the backup and of
 * its job.
 */
export function enqueueBackup(
  tx: Tx,
  deps: Deps,
  job: AsyncJob<BackupArgs>,
  what: Omit<BackupArgs, 'id'>,
): { id: string; jobId: string } {
  const id = deps.ids.next()
  return { id, jobId: enqueue(tx, systemCtx(deps, INSTALLATION), job, { args: { id, ...what } }) }
}

async function make_(
  ctx: JobCtx,
  room: BackupStore,
  wanted: BackupOptions,
): Promise<void | { giveUp: string }> {
  const { folder, copy } = room
  if (folder === null) return { giveUp: 'there is no folder for backups' }
  const trouble = folderProblem(folder)
  if (trouble !== null) {
    ctx.log.error({ backup: wanted.id, reason: trouble }, 'a backup failed')
    transact(ctx.db, (tx) => tellSuperAdminsIn(tx, ctx, trouble))
    return { giveUp: trouble }
  }
  const lack = await missingRoomMessage(ctx, folder)
  const made =
    lack === null
      ? await createBackup(
          { db: ctx.db, files: ctx.files, clock: ctx.clock, room: folder, copy },
          wanted,
          ctx.signal,
        )
      : withoutRoom(ctx, folder, { wanted, lack })
  const facts = {
    backup: made.id,
    size_bytes: made.database?.sizeBytes,
    duration_ms: (made.finishedAtMs ?? 0) - made.startedAtMs,
  }
  if (made.state === 'completed') {
    ctx.log.info(facts, 'a backup was made')
    pruneBackups(ctx, room)
    return undefined
  }
  ctx.log.error({ ...facts, reason: made.error }, 'a backup failed')
  transact(ctx.db, (tx) => tellSuperAdminsIn(tx, ctx, made.error ?? 'failed'))
  return { giveUp: made.error ?? 'failed' }
}

/**
 * The description of a backup that is not begun: one that filled the disk would stop the server
 * beside it.
 */
function withoutRoom(
  ctx: JobCtx,
  folder: string,
  { wanted, lack }: { wanted: BackupOptions; lack: string },
): Manifest {
  const nowMs = ctx.clock.nowMs()
  const failed: Manifest = {
    ...newManifest(wanted, nowMs),
    state: 'failed',
    finishedAtMs: nowMs,
    error: lack,
  }
  writeManifest(folder, failed)
  return failed
}

const MAX_TOLD = 100

/** Tells every super admin that a backup failed, each in the organization its sign-in begins in. */
function tellSuperAdminsIn(tx: Tx, ctx: Ctx, reason: string): void {
  const places = tx
    .select({ userId: users.id, organizationId: memberships.organizationId })
    .from(users)
    .innerJoin(memberships, eq(memberships.userId, users.id))
    .where(
      and(
        eq(users.isSuperAdmin, true),
        eq(users.isDisabled, false),
        eq(memberships.isActive, true),
      ),
    )
    .orderBy(asc(users.id), desc(memberships.isDefault))
    .limit(MAX_TOLD)
    .all()
  const told = new Set<string>()
  for (const { userId, organizationId } of places) {
    if (told.has(userId)) continue
    told.add(userId)
    notifyIn(tx, systemCtx(ctx, organizationId), {
      userId,
      kind: 'backup_failed',
      severity: 'critical',
      title: 'A backup failed',
      body: reason.slice(0, 500),
    })
  }
}
