import type { Database } from 'bun:sqlite'

/** The columns of a table that are written, as a list for a statement: none that is computed. */
export const columnsIn = (sqlite: Database, table: string): string =>
  sqlite
    .query<{ name: string }, [string]>('select name from pragma_table_info(?)')
    .all(table)
    .map(({ name }) => `"${name}"`)
    .join(', ')
