import { expect, test } from 'bun:test'

import { wrapDb, type Db } from '../../src/infra/db/connection'
import { transactGrouped } from '../../src/infra/db/group-commit'
import { beforeCommit, onCommit, savepoint, transact } from '../../src/infra/db/transact'
import { TransactionLocal } from '../../src/infra/db/transaction-scope'
import type { Loose } from '../support/client'
import { freshDatabase } from '../support/world'

const opened = (): Db => {
  const db = wrapDb(freshDatabase(), { synchronous: 'full', cacheMib: 8 })
  db.sqlite.run('create table written (text text not null)')
  return db
}

const write = (db: Db, text: string): void =>
  void db.sqlite.run('insert into written values (?)', [text])

const written = (db: Db): unknown[] =>
  db.sqlite
    .query<Loose, []>('select text from written')
    .all()
    .map(({ text }) => text)

const fail = (): never => {
  throw new Error('broken')
}

test('a failed savepoint leaves nothing behind if the caller continues', () => {
  const db = opened()
  transact(db, (tx) => {
    write(db, 'before')
    try {
      savepoint(tx, (outer) =>
        savepoint(outer, () => {
          write(db, 'half a part')
          fail()
        }),
      )
    } catch {
      write(db, 'after')
    }
  })
  expect(written(db)).toEqual(['before', 'after'])
})

test('callbacks of a savepoint run after its transaction commits, and not if it is rolled back', () => {
  const db = opened()
  const calls: string[] = []
  transact(db, (tx) => {
    onCommit(tx, () => calls.push(`whole committed, open: ${db.sqlite.inTransaction}`))
    beforeCommit(tx, () => calls.push(`whole ends, open: ${db.sqlite.inTransaction}`))
    savepoint(tx, (inner) => {
      onCommit(inner, () => calls.push('part committed'))
      beforeCommit(inner, () => calls.push('part ends'))
    })
    try {
      savepoint(tx, (inner) => {
        onCommit(inner, () => calls.push('never'))
        beforeCommit(inner, () => calls.push('never'))
        fail()
      })
    } catch {
      calls.push('undone')
    }
  })
  expect(calls).toEqual([
    'part ends',
    'undone',
    'whole ends, open: true',
    'whole committed, open: false',
    'part committed',
  ])
})

test('runs no callbacks if the transaction is rolled back', () => {
  const db = opened()
  const calls: string[] = []
  expect(() =>
    transact(db, (tx) => {
      onCommit(tx, () => calls.push('committed'))
      beforeCommit(tx, () => calls.push('ends'))
      fail()
    }),
  ).toThrow('broken')
  expect(calls).toEqual([])
})

test('a transaction-local value belongs to one savepoint, or to the whole transaction', () => {
  const db = opened()
  const local = new TransactionLocal(() => ({ count: 0 }))
  const counts: number[] = []
  const run = (): void =>
    transact(db, (tx) => {
      counts.push((local.of(tx).count += 1))
      savepoint(tx, (inner) => {
        counts.push((local.of(inner).count += 1), (local.ofWhole(inner).count += 1))
      })
    })
  run()
  run()
  expect(counts).toEqual([1, 1, 2, 1, 1, 2])
})

test('a commit without a flush wakes relay and worker and restores the flush, also after an error', () => {
  const db = opened()
  let woken = 0
  db.afterCommit = () => void (woken += 1)
  const flushing = (): unknown =>
    db.sqlite.query<{ synchronous: number }, []>('pragma synchronous').get()?.synchronous
  transact(db, () => write(db, 'kept'), { isFlushed: false })
  expect(() => transact(db, fail, { isFlushed: false })).toThrow('broken')
  expect({ woken, flushing: flushing() }).toEqual({ woken: 1, flushing: 2 })
  transact(db, () => write(db, 'asleep'), { wakes: false })
  expect({ woken, written: written(db) }).toEqual({ woken: 1, written: ['kept', 'asleep'] })
})

test.each(['now', 'soon'] as const)(
  'work grouped %s shares one commit, and a failure undoes only its own part',
  async (moment) => {
    const round = async (): Promise<number> => {
      const db = opened()
      let commits = 0
      db.afterCommit = () => void (commits += 1)
      const outcomes = await Promise.allSettled([
        transactGrouped(db, moment, () => (write(db, 'first'), 1)),
        transactGrouped(db, moment, () => (write(db, 'broken'), fail())),
        transactGrouped(db, moment, () => (write(db, 'third'), 3)),
      ])
      expect(outcomes.map((outcome) => outcome.status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(written(db)).toEqual(['first', 'third'])
      return commits
    }
    // A group ends after some milliseconds, so a busy machine may split one into two commits.
    let commits = await round()
    for (let rounds = 1; commits > 1 && rounds < 10; rounds += 1) commits = await round()
    expect(commits).toBe(1)
  },
)
