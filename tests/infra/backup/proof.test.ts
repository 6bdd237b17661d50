import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'

import { MigrationError } from '../../../src/infra/db/migrate'
import { unpackArchive, writeArchive } from '../../../src/infra/backup/archive'
import { inspectDatabase } from '../../../src/infra/backup/copy-database'
import { type Manifest } from '../../../src/infra/backup/manifest'
import { listedFiles, verifyBackup } from '../../../src/infra/backup/verify'
import { BackedUp, refusalOf } from '../../support/backups'

let kept: BackedUp

beforeAll(async () => {
  kept = await BackedUp.create()
})

afterAll(() => kept[Symbol.asyncDispose]())

describe('verification fails', () => {
  test.each<[field: string, changes: (of: Manifest) => Partial<Manifest>]>([
    ['database', () => ({ database: null })],
    ['database.sizeBytes', ({ database: of }) => ({ database: of && { ...of, sizeBytes: 1 } })],
    [
      'database.schemaVersion',
      ({ database: of }) => ({ database: of && { ...of, schemaVersion: '0000_other' } }),
    ],
    [
      'database.rowCounts.users',
      ({ database: of }) => ({
        database: of && { ...of, rowCounts: { ...of.rowCounts, users: 77 } },
      }),
    ],
    [
      'database.rowCounts.nothing',
      ({ database: of }) => ({
        database: of && { ...of, rowCounts: { ...of.rowCounts, nothing: 1 } },
      }),
    ],
    ['finishedAtMs', () => ({ finishedAtMs: null })],
    ['finishedAtMs', ({ startedAtMs }) => ({ finishedAtMs: startedAtMs - 1 })],
    ['error', () => ({ error: 'odd' })],
    ['files.count', () => ({ files: null })],
    ['files.count', ({ files: of }) => ({ files: of && { ...of, count: 1 } })],
    ['files.sizeBytes', ({ files: of }) => ({ files: of && { ...of, sizeBytes: 1 } })],
    ['files.missing', ({ files: of }) => ({ files: of && { ...of, missing: 1 } })],
  ])('when the description lies about %s', async (field, changes) => {
    expect(await kept.proof(kept.place, changes(kept.made))).toContain(` ${field} `)
  })

  test('for a wrong digest and an incomplete backup', async () => {
    expect(
      await kept.proof(kept.place, {
        database: kept.made.database && { ...kept.made.database, sha256: 'x' },
      }),
    ).toContain('checksum mismatch')
    for (const state of ['running', 'failed'] as const)
      expect(await kept.proof(kept.place, { state })).toContain(`is ${state}`)
  })

  test.each<[what: string, words: string, spoil: (spoiled: string) => void]>([
    [
      'a missing database',
      'switchboard.sqlite is missing from the backup',
      (spoiled) => rmSync(join(spoiled, 'switchboard.sqlite')),
    ],
    [
      'a database that is a link',
      'not a regular file',
      (spoiled) => {
        rmSync(join(spoiled, 'switchboard.sqlite'))
        symlinkSync(join(kept.place, 'switchboard.sqlite'), join(spoiled, 'switchboard.sqlite'))
      },
    ],
    [
      'a journal beside it',
      'switchboard.sqlite-wal does not belong',
      (spoiled) => writeFileSync(join(spoiled, 'switchboard.sqlite-wal'), 'x'),
    ],
    [
      'another journal beside it',
      'switchboard.sqlite-journal does not belong',
      (spoiled) => writeFileSync(join(spoiled, 'switchboard.sqlite-journal'), 'x'),
    ],
    [
      'a database of another program',
      'not a Switchboard database',
      (spoiled) => {
        rmSync(join(spoiled, 'switchboard.sqlite'))
        new Database(join(spoiled, 'switchboard.sqlite')).run('create table a (b)')
      },
    ],
    [
      'no list of files',
      'file list of the backup is missing',
      (spoiled) => rmSync(join(spoiled, 'files.txt')),
    ],
    [
      'a list of files with odd lines',
      'damaged at: ../../etc/passwd 1',
      (spoiled) => appendFileSync(join(spoiled, 'files.txt'), '../../etc/passwd 1\n'),
    ],
    [
      'a file that belongs to nothing',
      'which belongs to no record',
      (spoiled) => appendFileSync(join(spoiled, 'files.txt'), `ab/${'0'.repeat(30)} 1\n`),
    ],
    [
      'a file named twice',
      'which belongs to no record',
      (spoiled) =>
        appendFileSync(
          join(spoiled, 'files.txt'),
          readFileSync(join(spoiled, 'files.txt'), 'utf8').split('\n')[0] + '\n',
        ),
    ],
    [
      'a file that was cut off',
      'was changed or is incomplete',
      (spoiled) => {
        const path = join(spoiled, 'media', listedFiles(spoiled)[0]?.name ?? '')
        rmSync(path)
        writeFileSync(path, 'x')
      },
    ],
    [
      'a file that is gone',
      'is missing',
      (spoiled) => rmSync(join(spoiled, 'media', listedFiles(spoiled)[1]?.name ?? '')),
    ],
  ])('for %s', async (what, words, spoil) => {
    const spoiled = kept.copyOf(what)
    spoil(spoiled)
    expect(await kept.proof(spoiled)).toContain(words)
  })

  test('for a schema with added, missing or changed objects, naming up to three', async () => {
    const spoiled = kept.copyOf('schema')
    const database = new Database(join(spoiled, 'switchboard.sqlite'))
    const differences = async (): Promise<string> =>
      String(await kept.proof(spoiled)).replace(/^.*its version: /, '')
    database.run('create table extra (a)')
    expect(await differences()).toBe('the table extra does not belong to it.')
    database.run('create trigger users after insert on users begin select 1; end')
    expect(await differences()).toContain('the trigger users does not belong to it')
    for (const name of ['one', 'two', 'three']) database.run(`create view ${name} as select 1`)
    expect(await differences()).toEndWith(', and 2 more.')
    for (const name of ['one', 'two', 'three']) database.run(`drop view ${name}`)
    database.run('drop table extra')
    database.run('drop trigger users')
    const [index] = database
      .query<{ name: string; sql: string }, []>(
        "select name, sql from sqlite_schema where type = 'index' and sql is not null limit 1",
      )
      .all()
    database.run(`drop index ${index?.name}`)
    expect(await differences()).toBe(`the index ${index?.name} is missing.`)
    database.run(index?.sql ?? '')
    database.run('alter table users add column extra text')
    expect(await differences()).toBe('the table users differs.')
    database.close()
  })

  test('not for tables that SQLite and Litestream create', async () => {
    const spoiled = kept.copyOf('companions')
    const path = join(spoiled, 'switchboard.sqlite')
    const database = new Database(path)
    database.run('analyze')
    database.run('CREATE TABLE _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER)')
    const proven = async (): Promise<unknown> => {
      const { sizeBytes, sha256, schemaVersion, rowCounts } = await inspectDatabase(path, true)
      return kept.proof(spoiled, { database: { sizeBytes, sha256, schemaVersion, rowCounts } })
    }
    expect(await proven()).toBeNull()
    database.run('CREATE TABLE _litestream_lock (id TEXT)')
    expect(await proven()).toContain('the table _litestream_lock does not belong to it')
    database.close()
  })

  test('for dangling references', async () => {
    const spoiled = kept.copyOf('dangling')
    const path = join(spoiled, 'switchboard.sqlite')
    const database = new Database(path)
    database.run('pragma foreign_keys = off')
    database.run("update media set organization_id = x'00'")
    database.close()
    const facts = await inspectDatabase(path, true)
    expect(facts.problems).toEqual(['2 rows of media refer to missing rows of organizations'])
    expect((await inspectDatabase(path, false)).problems).toEqual([])
    const { sizeBytes, sha256, schemaVersion, rowCounts } = facts
    expect(
      await kept.proof(spoiled, { database: { sizeBytes, sha256, schemaVersion, rowCounts } }),
    ).toContain('2 rows of media')
  })
})

describe('a file is not a backup', () => {
  const at = (name: string): string => join(kept.folder, name)

  test('if it has another format or other content', async () => {
    writeFileSync(at('text.zip'), 'hello')
    expect(await refusalOf(unpackArchive(at('text.zip'), at('u1')))).toBe(
      `${at('text.zip')} is not a backup. A backup is a folder in BACKUP_DIR, a ZIP file or the file of a database.`,
    )
    const foreign = kept.copyOf('foreign')
    mkdirSync(join(foreign, 'media/zz'), { recursive: true })
    writeFileSync(join(foreign, 'media/zz/odd'), 'x')
    await writeArchive(foreign, at('foreign.zip'))
    expect(await refusalOf(unpackArchive(at('foreign.zip'), at('u2')))).toContain(
      'it contains media/zz/odd',
    )
    const silent = kept.copyOf('silent')
    rmSync(join(silent, 'manifest.json'))
    await writeArchive(silent, at('silent.zip'))
    expect(await refusalOf(unpackArchive(at('silent.zip'), at('u3')))).toContain('manifest missing')
    expect(await refusalOf(unpackArchive(at('nowhere.zip'), at('u4')))).toHaveProperty(
      'code',
      'ENOENT',
    )
  })
})

test('distinguishes a database of a later version from a damaged one', async () => {
  const later = kept.copyOf('later')
  const database = new Database(join(later, 'switchboard.sqlite'))
  database.run("insert into schema_migrations values ('9999_later', 'x', 1)")
  database.close()
  const found = await verifyBackup(later, kept.made).catch((error: unknown) => error)
  expect(found).toBeInstanceOf(MigrationError)
})
