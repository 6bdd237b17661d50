import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { foldText } from '../lib/fold-text'

/**
 * What rows are found and sorted by: their texts without case and accents, which SQLite alone
 * cannot make.
 */
export const searchKey = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(foldText)
    .join('\n')

/** The condition that a key holds what somebody typed; whatever signs are in it mean themselves. */
export const holdsText = (key: SQLiteColumn, typed: string): SQL =>
  sql`instr(${key}, ${foldText(typed)}) > 0`
