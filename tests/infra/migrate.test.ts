import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { migrateWithBackup } from '../../src/migrate'
import { openDb, type Db } from '../../src/infra/db/connection'
import {
  knownMigrations,
  migrate,
  MigrationError,
  migrationStatus,
} from '../../src/infra/db/migrate'
import { openDataDir, type DataDir } from '../../src/infra/data-dir'
import { smallDisk } from '../chaos/disks'
import { MovableClock } from '../support/clock'
import { columnsIn } from '../support/columns-in'

type Migration = ReturnType<typeof knownMigrations>[number]

const clock = new MovableClock(Date.UTC(2026, 10, 21))

const made = (tag: string, ...statements: string[]): Migration => ({
  tag,
  hash: new Bun.CryptoHasher('sha256').update(statements.join()).digest('hex'),
  sql: statements.join('\n--> statement-breakpoint\n'),
})

const FIRST = made(
  '0000_first',
  'create table parents (id integer primary key, name text) strict',
  'create table children (id integer primary key, parent_id integer not null references parents (id) on delete cascade) strict',
)

/**
 * A table rebuild as the schema generator writes it. With foreign keys on, dropping the old table
 * would delete the children.
 */
const REBUILD = made(
  '0001_rebuild',
  'create table new_parents (id integer primary key, name text not null) strict',
  'insert into new_parents select id, name from parents',
  'drop table parents',
  'alter table new_parents rename to parents',
)

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'migrate-'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** An empty database with foreign keys on, as the server opens it. */
function emptyDatabase(): Database {
  const sqlite = new Database(':memory:', { strict: true })
  sqlite.run('pragma foreign_keys = on')
  return sqlite
}

const run = (sqlite: Database, ...migrations: Migration[]): string[] =>
  migrate(sqlite, { clock, migrations })

/** Returns the error message for the operator. */
function refusalOf(work: () => unknown): string {
  try {
    work()
    return 'nothing went wrong'
  } catch (error) {
    if (error instanceof MigrationError) return error.message
    throw error
  }
}

test('the migrations of the program are in order and produce a sound schema', () => {
  const tags = knownMigrations().map(({ tag }) => tag)
  expect(tags).toEqual([...new Set(tags)].toSorted())
  expect(tags[0]).toBe('0000_baseline')
  const sqlite = emptyDatabase()
  expect(migrate(sqlite, { clock })).toEqual(tags)
  expect(migrationStatus(sqlite).pending).toEqual([])
  expect(sqlite.query('pragma foreign_key_check').all()).toEqual([])
  expect(sqlite.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
})

test('query plans are those of a large database, regardless of its size and measured statistics', () => {
  const sqlite = emptyDatabase()
  migrate(sqlite, { clock })
  const planOf = (statement: string): string =>
    (sqlite.query(`explain query plan ${statement}`).all() as { detail: string }[])
      .map(({ detail }) => detail)
      .join('; ')
  const ids = Array.from({ length: 200 }, () => '?').join()
  const byIds = `select m.id from messages m join contacts c on c.organization_id = m.organization_id and c.id = m.contact_id
    where m.organization_id = ? and m.id in (${ids}) and c.deleted_at_ms is null`
  const found = `select * from message_words where organization_id = ? and "row" in (select rowid from message_search where message_search match ?)`
  const plans = { byIds: planOf(byIds), found: planOf(found) }
  expect(plans.byIds).toStartWith('SEARCH m USING INDEX messages_id (organization_id=? AND id=?)')
  expect(plans.found).toStartWith('SEARCH message_words USING INTEGER PRIMARY KEY (rowid=?)')
  const told = sqlite.query('select * from sqlite_stat1 order by tbl, idx').all()
  sqlite.run('analyze')
  expect(sqlite.query('select * from sqlite_stat1 order by tbl, idx').all()).not.toEqual(told)
  migrate(sqlite, { clock })
  expect(sqlite.query('select * from sqlite_stat1 order by tbl, idx').all()).toEqual(told)
  expect({ byIds: planOf(byIds), found: planOf(found) }).toEqual(plans)
})

test('applies each migration once', () => {
  const sqlite = emptyDatabase()
  expect(run(sqlite, FIRST)).toEqual(['0000_first'])
  expect(run(sqlite, FIRST)).toEqual([])
  expect(run(sqlite, FIRST, REBUILD)).toEqual(['0001_rebuild'])
})

test('keeps rows that reference a rebuilt table, and enforces foreign keys afterwards', () => {
  const sqlite = emptyDatabase()
  run(sqlite, FIRST)
  sqlite.run("insert into parents values (1, 'Ana')")
  sqlite.run('insert into children values (10, 1), (11, 1)')
  run(sqlite, FIRST, REBUILD)
  expect(sqlite.query('select * from children').all()).toEqual([
    { id: 10, parent_id: 1 },
    { id: 11, parent_id: 1 },
  ])
  expect(() => sqlite.run('insert into children values (12, 99)')).toThrow('FOREIGN KEY')
})

test('every table can be rebuilt, also those that views and triggers read', () => {
  const sqlite = emptyDatabase()
  run(sqlite, ...knownMigrations())
  const schema = (): unknown =>
    sqlite
      .query<{ sql: string }, []>(
        "select type, name, trim(replace(sql, '\"', '`'), char(10)) as sql from sqlite_schema where name not like 'sqlite_%' order by type, name",
      )
      .all()
  const before = schema()
  const rebuilds = sqlite
    .query<{ name: string; sql: string }, []>(
      `select s.name, s.sql from sqlite_schema s join pragma_table_list l on l.name = s.name
       where l.type = 'table' and l.schema = 'main' and s.name <> 'schema_migrations' and s.name not like 'sqlite_%'`,
    )
    .all()
    .map(({ name, sql }) => {
      const indexes = sqlite
        .query<{ sql: string }, [string]>(
          "select sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null",
        )
        .all(name)
      const columns = columnsIn(sqlite, name)
      return made(
        `1000_${name}`,
        sql
          .replace(`\`${name}\``, `\`__new_${name}\``)
          .replaceAll(`"${name}".`, `"__new_${name}".`),
        `insert into "__new_${name}" (${columns}) select ${columns} from "${name}"`,
        `drop table "${name}"`,
        `alter table "__new_${name}" rename to "${name}"`,
        ...indexes.map((index) => index.sql),
      )
    })
  expect(rebuilds.length).toBeGreaterThan(100)
  run(sqlite, ...knownMigrations(), ...rebuilds)
  expect(schema()).toEqual(before)
  expect(sqlite.query('select * from contact_sight').all()).toEqual([])
})

describe('is refused with one sentence and changes nothing', () => {
  test('if a migration was edited after it ran', () => {
    const sqlite = emptyDatabase()
    run(sqlite, FIRST)
    expect(refusalOf(() => run(sqlite, { ...FIRST, hash: 'other' }, REBUILD))).toContain(
      '0000_first differs',
    )
    expect(sqlite.query('select tag from schema_migrations').all()).toEqual([{ tag: '0000_first' }])
  })

  test('if the database is newer than the program', () => {
    const sqlite = emptyDatabase()
    run(sqlite, FIRST, REBUILD)
    expect(refusalOf(() => run(sqlite, FIRST))).toContain('newer than this version (0001_rebuild)')
  })

  test('if the file has tables of another program', () => {
    const sqlite = emptyDatabase()
    sqlite.run('create table notes (id integer)')
    expect(refusalOf(() => run(sqlite, FIRST))).toContain('another program')
  })

  test('if a migration leaves dangling references', () => {
    const sqlite = emptyDatabase()
    run(sqlite, FIRST)
    sqlite.run("insert into parents values (1, 'Ana')")
    sqlite.run('insert into children values (10, 1)')
    const careless = made('0001_careless', 'delete from parents')
    expect(refusalOf(() => run(sqlite, FIRST, careless))).toContain(
      '0001_careless would leave rows with broken references',
    )
    expect(sqlite.query('select count(*) as rows from parents').get()).toEqual({ rows: 1 })
    expect(migrationStatus(sqlite, [FIRST, careless]).pending).toEqual([careless])
    expect(sqlite.query('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 })
  })

  test('if a migration fails, together with the ones before it', () => {
    const sqlite = emptyDatabase()
    const broken = made(
      '0002_broken',
      'create table half (id integer) strict',
      'create table half (id integer) strict',
    )
    expect(() => run(sqlite, FIRST, REBUILD, broken)).toThrow('half')
    expect(sqlite.query("select name from sqlite_master where type = 'table'").all()).toEqual([])
    expect(sqlite.query('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 })
  })
})

describe('copies an existing database before the first change', () => {
  let dir: DataDir
  let db: Db

  beforeAll(() => {
    dir = openDataDir(join(folder, 'data'))
    db = openDb(dir.databasePath, { synchronous: 'normal', cacheMib: 2 })
  })

  afterAll(() => db.sqlite.close())

  const LATER = [
    made('9998_rebuild', 'create table other_notes (id integer) strict'),
    made('9999_more', 'create table more (id integer) strict'),
  ]

  test('but not an empty one', () => {
    expect(migrateWithBackup(db, dir, clock)).toEqual(knownMigrations().map(({ tag }) => tag))
    expect(existsSync(dir.backupsPath)).toBe(false)
  })

  test('and changes nothing without enough disk space', () => {
    const disk = smallDisk(1)
    if (!disk) return // where no file system can be mounted
    try {
      const all = [...knownMigrations(), ...LATER]
      expect(() => migrateWithBackup(db, { backupsPath: disk.folder }, clock, all)).toThrow(
        /copied to .*, but there is not enough space: \d+ MiB are needed, 1 MiB are free/,
      )
      expect(readdirSync(disk.folder)).toEqual([])
      expect(
        db.sqlite.query("select tag from schema_migrations where tag like '99%'").all(),
      ).toEqual([])
    } finally {
      disk.remove()
    }
  })

  test('once for all pending migrations, readable only by its owner', () => {
    db.sqlite.run(
      "insert into organizations (id, name, slug, created_at_ms, updated_at_ms) values (zeroblob(16), 'Acme', 'acme', 0, 0)",
    )
    expect(migrateWithBackup(db, dir, clock, [...knownMigrations(), ...LATER])).toEqual([
      '9998_rebuild',
      '9999_more',
    ])
    const [name, ...others] = readdirSync(dir.backupsPath)
    expect([name, others]).toEqual([`before-9998_rebuild-${clock.nowMs()}.sqlite`, []])
    const path = join(dir.backupsPath, name ?? '')
    expect([statSync(path).mode & 0o777, statSync(dir.backupsPath).mode & 0o777]).toEqual([
      0o600, 0o700,
    ])
    const copy = new Database(path, { readonly: true })
    expect(copy.query('select name from organizations').all()).toEqual([{ name: 'Acme' }])
    expect(copy.query("select tag from schema_migrations where tag like '99%'").all()).toEqual([])
    copy.close()
  })

  test('but not if nothing is pending', () => {
    expect(migrateWithBackup(db, dir, clock, [...knownMigrations(), ...LATER])).toEqual([])
    expect(readdirSync(dir.backupsPath)).toHaveLength(1)
  })
})

describe('triggers', () => {
  const TRIGGERS = "select name, tbl_name, sql from sqlite_schema where type = 'trigger'"
  const triggersOf = (sqlite: Database): unknown[] =>
    sqlite.query(`${TRIGGERS} order by name`).all()

  /** Returns the program's database and its triggers. */
  function freshDatabase(): { sqlite: Database; before: unknown[] } {
    const sqlite = emptyDatabase()
    migrate(sqlite, { clock })
    return { sqlite, before: triggersOf(sqlite) }
  }

  /**
   * Returns a migration that rebuilds a table under its name, as a migration that changes a column
   * does.
   */
  function rebuilt(sqlite: Database, table: string): Migration {
    const { sql = '' } =
      sqlite
        .query<{ sql: string }, [string]>('select sql from sqlite_schema where name = ?')
        .get(table) ?? {}
    const columns = sqlite
      .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => `"${name}"`)
      .join(', ')
    return made(
      '9999_rebuild',
      sql.replace(table, `new_${table}`).replaceAll(`"${table}".`, `"new_${table}".`),
      `insert into new_${table} (${columns}) select ${columns} from ${table}`,
      `drop table ${table}`,
      `alter table new_${table} rename to ${table}`,
      ...sqlite
        .query<{ sql: string }, [string]>(
          "select sql from sqlite_schema where type = 'index' and tbl_name = ? and sql is not null",
        )
        .all(table)
        .map((index) => index.sql),
    )
  }

  test('are in place after a migration that rebuilds their table, and did not fire', () => {
    const { sqlite, before } = freshDatabase()
    const [most] = sqlite
      .query<{ table: string }, []>(
        'select tbl_name as "table" from sqlite_schema where type = \'trigger\' group by 1 order by count(*) desc',
      )
      .all()
    const table = most?.table ?? ''
    const migrations = [...knownMigrations(), rebuilt(sqlite, table)]
    sqlite.run('create table seen (what text) strict')
    sqlite.run(
      `create trigger spy after insert on organizations begin insert into seen values ('fired'); end`,
    )
    const insert = made(
      '9999_zz_insert',
      "insert into organizations (id, name, slug, created_at_ms, updated_at_ms) values (zeroblob(16), 'Acme', 'acme', 0, 0)",
    )
    migrate(sqlite, { clock, migrations: [...migrations, insert] })
    expect(triggersOf(sqlite)).toEqual(before)
    expect(before.length).toBeGreaterThan(0)
    expect(sqlite.query('select * from seen').all()).toEqual([])
    expect(sqlite.query('select name from organizations').all()).toEqual([{ name: 'Acme' }])
  })

  test('are restored at the next start if one is missing, changed or unknown', () => {
    const { sqlite, before } = freshDatabase()
    const [first, second] = sqlite.query<{ name: string; sql: string }, []>(TRIGGERS).all()
    sqlite.run(`drop trigger ${first?.name}`)
    sqlite.run(`drop trigger ${second?.name}`)
    sqlite.run((second?.sql ?? '').replace(/\bBEGIN\b/i, 'BEGIN SELECT 1;'))
    sqlite.run('create trigger foreign_one after insert on organizations begin select 1; end')
    expect(triggersOf(sqlite)).not.toEqual(before)
    migrate(sqlite, { clock })
    expect(triggersOf(sqlite)).toEqual(before)
  })

  test('stay unchanged if they are those of the program', () => {
    const { sqlite } = freshDatabase()
    const version = (): unknown => sqlite.query('pragma schema_version').get()
    const before = version()
    migrate(sqlite, { clock })
    expect(version()).toEqual(before)
  })
})

test('every table of the program is STRICT', () => {
  const sqlite = emptyDatabase()
  migrate(sqlite, { clock })
  const tables = sqlite
    .query<{ name: string; type: string; strict: number }, []>('pragma table_list')
    .all()
    .filter(({ name, type }) => type === 'table' && !name.startsWith('sqlite_'))
  expect(tables.length).toBeGreaterThan(50)
  expect(tables.filter(({ strict }) => strict === 0).map(({ name }) => name)).toEqual([])
})

test.each(['0000_spine', '0000_baseline'])(
  'refuses a database from before the first release, which began with another %s, with one sentence',
  (tag) => {
    const sqlite = emptyDatabase()
    run(sqlite, made(tag, 'create table organizations (id text primary key) strict'))
    expect(refusalOf(() => migrate(sqlite, { clock }))).toBe(
      'This database was made by a version from before the first release and cannot be upgraded; start with a new DATA_DIR.',
    )
    expect(sqlite.query('select tag from schema_migrations').all()).toEqual([{ tag }])
  },
)
