import { expect, test } from 'bun:test'

import { savepoint, transact, transactHopefully, wrapDb, type Db } from '../../src/infra/db'
import type { Loose } from '../support/client'
import { freshDatabase } from '../support/world'

const opened = (): Db => {
  const db = wrapDb(freshDatabase(), { synchronous: 'normal', cacheMib: 8 })
  db.sqlite.run('create table written (text text not null)')
  return db
}

const write = (db: Db, text: string): void =>
  void db.sqlite.run('insert into written values (?)', [text])

test.each([
  ['expected to succeed', transactHopefully],
  ['that may fail', transact],
] as const)(
  'of parts %s one that fails leaves nothing behind, also where whoever began it goes on',
  (_kind, begin) => {
    const db = opened()
    begin(db, (tx) => {
      write(db, 'before')
      try {
        savepoint(tx, (outer) =>
          savepoint(outer, () => {
            write(db, 'half a part')
            throw new Error('broken')
          }),
        )
      } catch {
        write(db, 'after')
      }
    })
    expect(db.sqlite.query<Loose, []>('select text from written').all()).toEqual([
      { text: 'before' },
      { text: 'after' },
    ])
  },
)
