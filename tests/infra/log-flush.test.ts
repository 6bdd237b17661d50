import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, symlinkSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openDb, type Db } from '../../src/infra/db/connection'
import { isStorageError } from '../../src/infra/db/errors'
import { transactGrouped } from '../../src/infra/db/group-commit'
import { flushed, transact } from '../../src/infra/db/transact'

let folder = ''
let path = ''
let db: Db

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'log-flush-'))
  path = join(folder, 'db.sqlite')
  db = openDb(path, { synchronous: 'full', cacheMib: 8 })
  db.sqlite.run('create table written (text text not null)')
})

afterEach(() => {
  db.sqlite.close()
  rmSync(folder, { recursive: true })
})

const write = (text: string): void => void db.sqlite.run('insert into written values (?)', [text])

const share = (text: string): void => transact(db, () => write(text), { sharesFlush: true })

test('a transaction that shares a flush is behind until a flush that began after it has ended', async () => {
  expect(db.logFlush.isDone).toBe(true)
  share('first')
  const first = flushed(db)
  await Promise.resolve() // the flush has begun
  share('second')
  const second = flushed(db)
  await first
  expect(db.logFlush.isDone).toBe(false)
  await second
  expect(db.logFlush.isDone).toBe(true)
  share('third')
  db.logFlush.now()
  expect(db.logFlush.isDone).toBe(true)
})

test('a log that cannot be flushed fails what waits for it, and is then written to the database', async () => {
  const failures: string[] = []
  db.storage = {
    state: null,
    failed: (reason) => void failures.push(reason),
    wrote: () => undefined,
  }
  share('first')
  unlinkSync(`${path}-wal`)
  const grouped = transactGrouped(db, 'now', () => write('second'))
  const error: unknown = await grouped.catch((reason: unknown) => reason)
  expect({ isStorage: isStorageError(error), failures }).toEqual({
    isStorage: true,
    failures: ['failing'],
  })
  expect(db.logFlush.isDone).toBe(false)
  await flushed(db)
  expect(db.logFlush.isDone).toBe(true)
  const alone = openDb(path, { synchronous: 'full', cacheMib: 8 })
  const rows = alone.sqlite.query('select text from written').all()
  alone.sqlite.close()
  expect(rows).toEqual([{ text: 'first' }, { text: 'second' }])
})

test('the log of a database that a link leads to is flushed where it lies', async () => {
  share('through the file')
  const link = join(folder, 'link.sqlite')
  symlinkSync(path, link)
  const linked = openDb(link, { synchronous: 'full', cacheMib: 8 })
  try {
    transact(linked, () => linked.sqlite.run("insert into written values ('through the link')"), {
      sharesFlush: true,
    })
    await flushed(linked)
  } finally {
    linked.sqlite.close()
  }
})
