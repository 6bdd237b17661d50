import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { type Db } from '../../../src/infra/db/connection'
import { writeArchive } from '../../../src/infra/backup/archive'
import { missingSpaceMessage, estimateSpace } from '../../../src/infra/backup/disk-space'
import { folderProblem } from '../../../src/infra/backup/folder'
import { openBackup, stageBackup } from '../../../src/infra/backup/restore'
import { replaceWithStaged } from '../../../src/infra/backup/swap'
import { listedFiles, verifyBackup } from '../../../src/infra/backup/verify'
import { BackedUp, refusalOf } from '../../support/backups'

const MIB = 1024 * 1024

let kept: BackedUp

beforeAll(async () => {
  kept = await BackedUp.create()
})

afterAll(() => kept[Symbol.asyncDispose]())

describe('a restore', () => {
  test('opens a folder, a ZIP file and a single database', async () => {
    const dir = kept.dirOf('open')
    expect(await openBackup(kept.place, dir)).toEqual({ folder: kept.place, manifest: kept.made })
    const file = join(kept.folder, 'open.zip')
    await writeArchive(kept.place, file)
    const opened = await openBackup(file, dir)
    expect(opened).toEqual({ folder: join(dir.path, 'restoring', 'unpacked'), manifest: kept.made })
    expect(await refusalOf(verifyBackup(opened.folder, opened.manifest))).toBeNull()
    rmSync(join(dir.path, 'restoring'), { recursive: true })
    const [{ name, sizeBytes } = { name: '', sizeBytes: 0 }] = listedFiles(kept.place)
    cpSync(join(kept.place, 'media', name), join(dir.path, 'media', name))
    const alone = await openBackup(join(kept.place, 'switchboard.sqlite'), dir)
    expect(alone.manifest).toMatchObject({
      ...{ format: 1, state: 'completed', label: null, isAutomatic: false, isVerified: false },
      ...{ jobId: null, error: null, database: kept.made.database },
      files: { count: 1, sizeBytes, missing: 1 },
    })
    expect(await refusalOf(verifyBackup(alone.folder, alone.manifest))).toBeNull()
    rmSync(join(dir.path, 'restoring'), { recursive: true })
    cpSync(join(kept.place, 'media'), join(dir.path, 'media'), { recursive: true })
    const whole = await openBackup(join(kept.place, 'switchboard.sqlite'), dir)
    expect(whole.manifest.files).toEqual(kept.made.files)
    expect(await refusalOf(verifyBackup(whole.folder, whole.manifest))).toBeNull()
  })

  test('rejects a path that is not a backup', async () => {
    const dir = kept.dirOf('none')
    expect(await refusalOf(openBackup(join(kept.folder, 'nowhere'), dir))).toContain('no backup at')
    expect(await refusalOf(openBackup(join(kept.place, 'files.txt', 'x'), dir))).toContain(
      'no backup at',
    )
    const spoiled = kept.copyOf('undescribed')
    rmSync(join(spoiled, 'manifest.json'))
    expect(await refusalOf(openBackup(spoiled, dir))).toContain('manifest is missing or damaged')
    expect(await refusalOf(openBackup('/dev/null', dir))).toContain('neither a directory nor')
  })

  test('replaces all files and keeps the former ones', () => {
    const dir = kept.dirOf('data')
    const old = new Database(dir.databasePath)
    old.run('create table former (a)')
    old.close()
    mkdirSync(join(dir.path, 'media'))
    writeFileSync(join(dir.path, 'media', 'former'), 'x')
    const database = stageBackup(kept.place, join(dir.path, 'restoring'))
    expect(statSync(database).mode & 0o077).toBe(0)
    expect(replaceWithStaged(dir, Date.UTC(2026, 10, 21, 9, 30, 5)).toSorted()).toEqual([
      'media.20261121T093005.before-restore',
      'switchboard.sqlite.20261121T093005.before-restore',
    ])
    expect(readdirSync(dir.path).toSorted()).toEqual([
      ...['media', 'media.20261121T093005.before-restore', 'switchboard.sqlite'],
      'switchboard.sqlite.20261121T093005.before-restore',
    ])
    expect(readFileSync(dir.databasePath)).toEqual(
      readFileSync(join(kept.place, 'switchboard.sqlite')),
    )
    for (const { name, sizeBytes } of listedFiles(kept.place))
      expect(statSync(join(dir.path, 'media', name)).size).toBe(sizeBytes)
    const isKept = (): boolean =>
      existsSync(join(dir.path, 'media.20261121T093005.before-restore', 'former'))
    expect(isKept()).toBe(true)
    const first = 'switchboard.sqlite.20261121T093005.before-restore'
    const former = readFileSync(join(dir.path, first))
    // Within the same second nothing takes the place of what is kept.
    stageBackup(kept.place, join(dir.path, 'restoring'))
    expect(replaceWithStaged(dir, Date.UTC(2026, 10, 21, 9, 30, 5, 900)).toSorted()).toEqual([
      'media.20261121T093005-2.before-restore',
      'switchboard.sqlite.20261121T093005-2.before-restore',
    ])
    expect(isKept()).toBe(true)
    expect(readFileSync(join(dir.path, first))).toEqual(former)
  })
})

describe('a database that was not closed', () => {
  /** Creates a database whose newest rows are only in its log. */
  function leave(path: string): void {
    cpSync(join(kept.place, 'switchboard.sqlite'), path)
    const live = new Database(path)
    live.run('pragma journal_mode = wal')
    live.run('pragma wal_autocheckpoint = 0')
    live.run("update users set full_name = 'In the log'")
    for (const part of ['', '-wal']) cpSync(path + part, `${path}.copy${part}`)
    live.close()
  }
  const namesIn = (path: string): unknown[] => {
    const database = new Database(path, { readonly: true })
    const rows = database.query('select distinct full_name as name from users').all()
    database.close()
    return rows
  }

  test('is restored with the content of its log, which must be a regular file', async () => {
    const path = join(kept.folder, 'unclosed.sqlite')
    leave(path)
    const dir = kept.dirOf('unclosed')
    const opened = await openBackup(`${path}.copy`, dir)
    expect(namesIn(join(opened.folder, 'switchboard.sqlite'))).toEqual([{ name: 'In the log' }])
    expect(await refusalOf(verifyBackup(opened.folder, opened.manifest))).toBeNull()
    rmSync(`${path}.copy-wal`)
    symlinkSync(path, `${path}.copy-wal`)
    rmSync(join(dir.path, 'restoring'), { recursive: true })
    expect(await refusalOf(openBackup(`${path}.copy`, dir))).toBe(
      `${path}.copy-wal is not a regular file.`,
    )
  })

  test('keeps the content of its log when it is replaced', () => {
    const dir = kept.dirOf('replaced')
    leave(join(kept.folder, 'former.sqlite'))
    for (const part of ['', '-wal'])
      cpSync(join(kept.folder, `former.sqlite.copy${part}`), dir.databasePath + part)
    stageBackup(kept.place, join(dir.path, 'restoring'))
    const former = replaceWithStaged(dir, Date.UTC(2026, 10, 21)).find((name) =>
      /sqlite\.\d/.test(name),
    )
    expect(namesIn(join(dir.path, former ?? ''))).toEqual([{ name: 'In the log' }])
  })
})

describe('disk space', () => {
  const pages = (db: Db): number =>
    Number(Object.values(db.sqlite.query('pragma page_count').get() ?? {})[0]) *
    Number(Object.values(db.sqlite.query('pragma page_size').get() ?? {})[0])

  test('is required for the database, a ZIP file and a reserve of 512 MiB', async () => {
    const bytes = 'the price listthe menu'.length
    const spare = 512 * MIB
    const linked = await estimateSpace(kept.deps, kept.folder, false)
    expect(linked.neededBytes).toBe(pages(kept.deps.db) + spare)
    expect(linked.freeBytes).toBeGreaterThan(0)
    expect((await estimateSpace(kept.deps, kept.folder, true)).neededBytes).toBe(
      2 * pages(kept.deps.db) + bytes + spare,
    )
    expect(readdirSync(kept.folder).filter((name) => name.startsWith('.probe'))).toEqual([])
    const files = { ...kept.deps.files, pathOf: (name: string) => `/nowhere/${name}` }
    const copied = { db: kept.deps.db, files }
    expect((await estimateSpace(copied, kept.folder, false)).neededBytes).toBe(
      pages(kept.deps.db) + bytes + spare,
    )
    expect((await estimateSpace(copied, kept.folder, true)).neededBytes).toBe(
      2 * (pages(kept.deps.db) + bytes) + spare,
    )
  })

  test('is reported when it is missing', () => {
    expect(missingSpaceMessage({ neededBytes: 600 * MIB, freeBytes: 600 * MIB })).toBeNull()
    const message = missingSpaceMessage({ neededBytes: 600 * MIB + 1, freeBytes: 600 * MIB })
    for (const figure of ['601 MiB', '512 ', '600 ']) expect(message).toContain(figure)
  })

  test('accepts a folder that can be created, and rejects the path of a file', () => {
    expect(folderProblem(join(kept.folder, 'may', 'be', 'made'))).toBeNull()
    expect(existsSync(join(kept.folder, 'may'))).toBe(false)
    expect(folderProblem(kept.folder)).toBeNull()
    const path = join(kept.place, 'files.txt')
    for (const within of [path, join(path, 'deeper')]) {
      const problem = folderProblem(within)
      expect(problem).toStartWith(`Backups cannot be stored in ${within}: `)
      expect(problem).toContain('BACKUP_DIR')
    }
    expect(folderProblem(path)).toContain(`${path} is not a directory.`)
  })
})
