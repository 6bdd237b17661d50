import { expect, test } from 'bun:test'

import { createRegistry } from '../src/registry'
import { freshDatabase } from './support/world'

/** Tables behind a full-text index belong to the index. */
const isShadow = (name: string, indexes: string[]): boolean =>
  indexes.some((index) => name.startsWith(`${index}_`))

test('every table says what happens to its rows when an organization leaves', () => {
  const sqlite = freshDatabase()
  const all = sqlite
    .query<{ name: string; sql: string }, []>(
      "select name, sql from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .all()
  const indexes = all.filter(({ sql }) => / USING fts5/i.test(sql)).map(({ name }) => name)
  const columnsOf = (table: string): string[] =>
    sqlite
      .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name)
  const names = all.map(({ name }) => name).filter((name) => !isShadow(name, indexes))
  const { tables } = createRegistry()

  expect(tables.map(({ table }) => table).toSorted()).toEqual(names.toSorted())
  for (const { table, kind, reason, hasFiles, deletedWith, ...fate } of tables) {
    if (indexes.includes(table)) continue
    if (table === 'organizations') continue // its key is the organization itself
    const columns = columnsOf(table)
    expect([table, columns.includes('organization_id')]).toEqual([table, kind !== 'shared'])
    expect([table, columns.includes('stored_as')]).toEqual([table, hasFiles])
    expect([table, reason === null]).toEqual([table, kind === 'carried'])
    const sealed = columns.filter((column) => column.endsWith('_sealed'))
    if (kind === 'carried')
      expect([table, ...Object.keys(fate.secrets).toSorted()]).toEqual([
        table,
        ...sealed.toSorted(),
      ])
    if (fate.lasting !== null) sqlite.query(`select 1 from "${table}" where ${fate.lasting}`).all()
    if (hasFiles || kind === 'shared' || deletedWith !== null) continue
    // An organization's rows must be found without reading those of others.
    const [plan] = sqlite
      .query<{ detail: string }, []>(
        `explain query plan select 1 from "${table}" where organization_id = zeroblob(16)`,
      )
      .all()
    expect([table, plan?.detail]).toEqual([table, expect.stringContaining('SEARCH')])
  }
})

test('every stored column is declared, and every table says whose data it holds or why nobody is in it', () => {
  const sqlite = freshDatabase()
  for (const { table, declared, people } of createRegistry().tables) {
    expect([table, 'none' in people ? people.none : people.of]).toEqual([
      table,
      expect.stringMatching(/^\S.{3,}/),
    ])
    if (declared.length === 0) continue // indexes of other tables, and the list of migrations
    const stored = sqlite
      .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name)
    const names = declared.map(({ name }) => name)
    expect([table, stored.filter((name) => !names.includes(name))]).toEqual([table, []])
    const classes = new Set(declared.map((column) => column.class))
    if ('none' in people) expect([table, ...classes]).toEqual([table, 'business'])
  }
})
