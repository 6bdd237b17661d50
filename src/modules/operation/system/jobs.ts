import { Type, type Static } from '@sinclair/typebox'

import { job } from '../../../infra/jobs/job'
import { Noted } from './health/model'

const numberOrNull = Type.Union([Type.Integer(), Type.Null()])

const Retry = Type.Object({
  kind: Type.Union([Type.String(), Type.Null()]),
  fromMs: numberOrNull,
  toMs: Type.Integer(),
  after: Type.String(),
  isWholeInstallation: Type.Optional(Type.Boolean()),
})
export type JobRetryArgs = Static<typeof Retry>

const Backup = Type.Object({
  id: Type.String(),
  label: Type.Union([Type.String(), Type.Null()]),
  isVerified: Type.Boolean(),
  isAutomatic: Type.Boolean(),
})
export type BackupArgs = Static<typeof Backup>

/**
 * Deletes data after its retention: ended jobs, events of the socket log, expired sign-ins,
 * deliveries, audit log entries, notifications, failed proofs.
 */
export const PruneOldData = job('system.prune-old-data', Type.Object({}), {
  queue: 'default',
  priority: 'low',
})

const NotedFigures = Type.Object({ figures: Type.Optional(Noted) })
export type NoteFiguresArgs = Static<typeof NotedFigures>

/** Notes the figures of the moment every five minutes, in its own row. */
export const NoteFigures = job('system.note-figures', NotedFigures, {
  queue: 'default',
  maxAttempts: 1,
})

/** Runs the discarded jobs of an organization again that a request selected, a batch at a time. */
export const RetryDiscardedJobs = job('system.retry-jobs', Retry, { queue: 'default' })

export const MakeBackup = job('system.backup', Backup, { queue: 'default', maxAttempts: 3 })

/** Checks a finished backup again: its files, pages, indexes and references. */
export const VerifyBackup = job('system.verify-backup', Type.Object({ id: Type.String() }), {
  queue: 'default',
  maxAttempts: 3,
})

/** Deletes old backups and starts one when it is due. */
export const CheckBackups = job('system.start-due-backup', Type.Object({}), { queue: 'default' })

/** Encrypts stored secrets with the current key, a batch of rows at a time, table after table. */
export const ReencryptSecrets = job(
  'system.reencrypt-secrets',
  Type.Object({ keyId: Type.String(), table: Type.String(), after: Type.String() }),
  { queue: 'default' },
)
