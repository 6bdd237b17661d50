import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { wrapDb } from '../../../src/infra/db/connection'
import { unpackArchive, writeArchive } from '../../../src/infra/backup/archive'
import { copyDatabase } from '../../../src/infra/backup/copy-database'
import { createBackup } from '../../../src/infra/backup/create'
import {
  listManifests,
  readManifest,
  removeBackup,
  writeManifest,
} from '../../../src/infra/backup/manifest'
import { listUpgradeCopies, upgradeCopyName } from '../../../src/infra/backup/upgrade-copies'
import { listedFiles, verifyBackup } from '../../../src/infra/backup/verify'
import { BackedUp, ID, refusalOf, signal, WANTED } from '../../support/backups'
import { freshDatabase } from '../../support/world'

const MIB = 1024 * 1024

let kept: BackedUp

beforeAll(async () => {
  kept = await BackedUp.create()
})

afterAll(() => kept[Symbol.asyncDispose]())

describe('a backup', () => {
  test('has a manifest with its content, time and program version', () => {
    const rows = (table: string): number =>
      Number(kept.world.rows(`select count(*) as n from ${table}`)[0]?.['n'])
    expect(kept.made).toEqual({
      ...{ id: ID, format: 1, state: 'completed', label: 'Before the move', program: '1.2.3' },
      ...{ isAutomatic: false, jobId: null, isVerified: true, error: null },
      startedAtMs: kept.world.clock.nowMs(),
      finishedAtMs: kept.world.clock.nowMs(),
      database: {
        sizeBytes: statSync(join(kept.place, 'switchboard.sqlite')).size,
        sha256: new Bun.CryptoHasher('sha256')
          .update(readFileSync(join(kept.place, 'switchboard.sqlite')))
          .digest('hex'),
        schemaVersion: kept.world.rows('select max(tag) as tag from schema_migrations')[0]?.['tag'],
        rowCounts: expect.objectContaining({ users: rows('users'), media: 2 }),
      },
      files: { count: 2, sizeBytes: 'the price listthe menu'.length, missing: 0 },
    })
    expect(readManifest(kept.place)).toEqual(kept.made)
    expect(listManifests(kept.deps.room)).toEqual([kept.made])
    expect(readdirSync(kept.place).toSorted()).toEqual([
      ...['files.txt', 'manifest.json', 'media', 'switchboard.sqlite'],
    ])
    const names = kept.world.rows(
      'select stored_as as name, size_bytes as size from media order by 1',
    )
    expect(readFileSync(join(kept.place, 'files.txt'), 'utf8')).toBe(
      names.map(({ name, size }) => `${name} ${size}\n`).join(''),
    )
    expect(listedFiles(kept.place)).toEqual(
      names.map(({ name, size }) => ({ name: String(name), sizeBytes: Number(size) })),
    )
  })

  test('passes verification, also after packing and unpacking', async () => {
    expect(await kept.proof(kept.place)).toBeNull()
    const file = join(kept.folder, 'backup.zip')
    await writeArchive(kept.place, file)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const unpacked = join(kept.folder, 'unpacked')
    expect(await unpackArchive(file, unpacked)).toEqual(kept.made)
    expect(await kept.proof(unpacked)).toBeNull()
    expect(await refusalOf(writeArchive(kept.place, file))).toHaveProperty('code', 'EEXIST')
  })

  test('replaces an interrupted backup with the same ID', async () => {
    const room = join(kept.folder, 'again')
    mkdirSync(join(room, ID, 'media/ab'), { recursive: true })
    writeFileSync(join(room, ID, 'switchboard.sqlite'), 'half of it')
    writeFileSync(join(room, ID, 'media/ab/cdef'), 'of something else')
    const again = await createBackup(
      { ...kept.deps, room },
      { ...WANTED, isVerified: false },
      signal,
    )
    expect(again).toMatchObject({ state: 'completed', isVerified: false, files: { count: 2 } })
    expect(await refusalOf(verifyBackup(join(room, ID), again))).toBeNull()
    expect(existsSync(join(room, ID, 'media/ab/cdef'))).toBe(false)
  })

  test('counts files that are missing', async () => {
    const room = join(kept.folder, 'missing')
    const [{ name } = { name: '' }] = listedFiles(kept.place)
    const path = kept.deps.files.pathOf(name)
    const bytes = readFileSync(path)
    rmSync(path)
    const lacking = await createBackup({ ...kept.deps, room }, WANTED, signal)
    writeFileSync(path, bytes)
    expect(lacking).toMatchObject({ state: 'completed', files: { count: 1, missing: 1 } })
    expect(await refusalOf(verifyBackup(join(room, ID), lacking))).toBeNull()
  })

  test('copies an in-memory database', async () => {
    const db = wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 8 })
    const room = join(kept.folder, 'memory')
    const copied = await createBackup({ ...kept.deps, db, room }, WANTED, signal)
    db.sqlite.close()
    expect(copied).toMatchObject({ state: 'completed', database: { rowCounts: { users: 0 } } })
    await writeArchive(join(room, ID), join(room, 'backup.zip'))
    expect(await unpackArchive(join(room, 'backup.zip'), join(room, 'unpacked'))).toEqual(copied)
    expect(await refusalOf(verifyBackup(join(room, ID), copied))).toBeNull()
  })

  test('keeps only the manifest with the reason when it fails', async () => {
    const room = join(kept.folder, 'failed')
    const copy = (): Promise<never> => Promise.reject(new Error('no luck'))
    const failed = await createBackup({ ...kept.deps, room, copy }, WANTED, signal)
    expect(failed).toMatchObject({
      state: 'failed',
      error: 'no luck',
      database: null,
      files: null,
    })
    expect(readdirSync(join(room, ID))).toEqual(['manifest.json'])
    const unsound = await createBackup(
      {
        ...kept.deps,
        room,
        copy: async (order) => ({ ...(await copyDatabase(order)), problems: ['one', 'two'] }),
      },
      WANTED,
      signal,
    )
    expect(unsound).toMatchObject({
      state: 'failed',
      error: 'one; two',
      finishedAtMs: expect.any(Number),
    })
    expect(readdirSync(join(room, ID))).toEqual(['manifest.json'])
    expect(await refusalOf(verifyBackup(join(room, ID), unsound))).toContain('failed')
  })

  test('throws and stays running when it is aborted', async () => {
    const room = join(kept.folder, 'ended')
    const ended = AbortSignal.abort(new Error('the server stops'))
    expect(await refusalOf(createBackup({ ...kept.deps, room }, WANTED, ended))).toHaveProperty(
      'message',
      'the server stops',
    )
    expect(readManifest(join(room, ID))).toMatchObject({ state: 'running', finishedAtMs: null })
  })

  test('is listed newest first until it is deleted', async () => {
    const room = join(kept.folder, 'list')
    const later = ID.replace('aa', 'ab')
    for (const id of [ID, later]) writeManifest(room, { ...kept.made, id })
    mkdirSync(join(room, 'something else'))
    mkdirSync(join(room, ID.replace('aa', 'ac')))
    writeManifest(room, { ...kept.made, id: ID.replace('aa', 'ad') })
    cpSync(join(room, ID), join(room, ID.replace('aa', 'ad')), { recursive: true })
    expect(listManifests(room).map(({ id }) => id)).toEqual([later, ID])
    removeBackup(room, ID)
    expect(listManifests(room).map(({ id }) => id)).toEqual([later])
    expect(listManifests(join(room, 'nowhere'))).toEqual([])
  })

  test('is not listed as whole when the process is killed amid its deletion', () => {
    const room = join(kept.folder, 'cut short')
    writeManifest(room, kept.made)
    writeFileSync(join(room, ID, 'switchboard.sqlite'), 'the database')
    const place = (path: string): string => JSON.stringify(join(import.meta.dir, '../../..', path))
    const manifest = place('src/infra/backup/manifest.ts')
    writeFileSync(
      join(kept.folder, 'killing.ts'),
      `Bun.plugin({ name: 'killing', setup: (build) => { build.onLoad({ filter: /backup.manifest.ts$/ },
        async ({ path }) => ({ loader: 'ts', contents: (await Bun.file(path).text()).replace("'node:fs'", '${place('tests/support/killing-fs.ts')}') })) } })`,
    )
    const { signalCode } = Bun.spawnSync(
      [
        ...[process.execPath, '--preload', join(kept.folder, 'killing.ts'), '--eval'],
        `(await import(${manifest})).removeBackup(${JSON.stringify(room)}, '${ID}')`,
      ],
      { env: { KILL_AT: '2' } },
    )
    expect(signalCode).toBe('SIGKILL')
    expect(readdirSync(join(room, ID))).toEqual(['switchboard.sqlite'])
    expect(listManifests(room)).toEqual([])
  })
})

describe('an invalid manifest', () => {
  test.each([
    ['text', 'hello'],
    ['of a later format', JSON.stringify({ format: 2 })],
    ['with more in it', '+'],
    ['larger than any', 'x'],
  ])('when it is %s', (_what, text) => {
    const spoiled = kept.copyOf(`manifest ${text.slice(0, 3)}`)
    const given =
      text === '+'
        ? JSON.stringify({ ...kept.made, more: 1 })
        : text === 'x'
          ? JSON.stringify({ ...kept.made, label: 'x'.repeat(MIB) })
          : text
    writeFileSync(join(spoiled, 'manifest.json'), given)
    expect(readManifest(spoiled)).toBeNull()
  })

  test('that is a link, or has an invalid ID, is ignored', () => {
    const spoiled = kept.copyOf('linked')
    rmSync(join(spoiled, 'manifest.json'))
    symlinkSync(join(kept.place, 'manifest.json'), join(spoiled, 'manifest.json'))
    expect(readManifest(spoiled)).toBeNull()
    const nameless = kept.copyOf('nameless')
    writeFileSync(join(nameless, 'manifest.json'), JSON.stringify({ ...kept.made, id: 'x' }))
    expect(readManifest(nameless)).toBeNull()
  })
})

test('copies files to another disk', async () => {
  // On an in-memory disk, files cannot be linked across disks.
  const other = existsSync('/dev/shm') ? '/dev/shm' : kept.folder
  const room = mkdtempSync(join(other, 'switchboard-backup-'))
  try {
    const copied = await createBackup({ ...kept.deps, room }, WANTED, signal)
    expect(copied).toMatchObject({ state: 'completed', files: { count: 2, missing: 0 } })
    expect(await refusalOf(verifyBackup(join(room, ID), copied))).toBeNull()
  } finally {
    rmSync(room, { recursive: true })
  }
})

test('finds copies made before an upgrade by their names', () => {
  const room = join(kept.folder, 'upgrades')
  expect(listUpgradeCopies(room)).toEqual([])
  mkdirSync(room)
  const name = upgradeCopyName('0012_more', 1_795_253_400_000)
  for (const each of [name, `${name}.part`, 'before-x-1.sqlite', `x${name}`])
    writeFileSync(join(room, each), '')
  expect(listUpgradeCopies(room)).toEqual([
    { path: join(room, name), tag: '0012_more', madeAtMs: 1_795_253_400_000 },
  ])
})
