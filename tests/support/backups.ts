import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { BackupError } from '../../src/infra/backup/archive'
import { copyDatabase } from '../../src/infra/backup/copy-database'
import { createBackup, type BackupDeps } from '../../src/infra/backup/create'
import type { Manifest } from '../../src/infra/backup/manifest'
import { verifyBackup } from '../../src/infra/backup/verify'
import type { DataDir } from '../../src/infra/data-dir'
import { openDb } from '../../src/infra/db/connection'
import { migrate } from '../../src/infra/db/migrate'
import { upload } from './files'
import { World } from './world'

export const ID = '01900000-0000-7000-8000-0000000000aa'
export const WANTED = {
  ...{ id: ID, label: 'Before the move', isAutomatic: false, jobId: null, program: '1.2.3' },
  isVerified: true,
}
export const signal = new AbortController().signal

/**
 * Returns the error of a rejected promise: the message of a BackupError, otherwise the error
 * itself.
 */
export const refusalOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => null,
    (error: unknown) => (error instanceof BackupError ? error.message : error),
  )

/** A world with two files, and a backup of it. */
export class BackedUp implements AsyncDisposable {
  private constructor(
    readonly folder: string,
    readonly world: World,
    readonly deps: BackupDeps,
    readonly made: Manifest,
  ) {}

  static async create(): Promise<BackedUp> {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-backup-'))
    const db = openDb(join(folder, 'live.sqlite'), { synchronous: 'normal', cacheMib: 8 })
    migrate(db.sqlite, { clock: { nowMs: () => Date.UTC(2026, 10, 20) } })
    const world = await World.create({ tenants: 1, db })
    const admin = await world.as('admin')
    for (const text of ['the price list', 'the menu'])
      await upload(admin, { bytes: new TextEncoder().encode(text), type: 'text/plain' })
    const { files, clock } = world.program.http
    const deps = { db, files, clock, room: join(folder, 'backups'), copy: copyDatabase }
    return new BackedUp(folder, world, deps, await createBackup(deps, WANTED, signal))
  }

  /** The folder of the backup. */
  get place(): string {
    return join(this.deps.room, ID)
  }

  /** A copy of the backup that a test may spoil. */
  copyOf(name: string): string {
    const target = join(this.folder, 'copies', name, ID)
    cpSync(this.place, target, { recursive: true })
    return target
  }

  /** Returns why a copy of the backup is refused if its manifest has these changes. */
  proof(spoiled: string, changes: Partial<Manifest> = {}): Promise<unknown> {
    return refusalOf(verifyBackup(spoiled, { ...this.made, ...changes }))
  }

  /** Creates a separate data folder. */
  dirOf(name: string): DataDir {
    const path = join(this.folder, name)
    mkdirSync(path, { recursive: true })
    return {
      path,
      databasePath: join(path, 'switchboard.sqlite'),
      backupsPath: join(path, 'backups'),
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.world.stop()
    rmSync(this.folder, { recursive: true, force: true })
  }
}
