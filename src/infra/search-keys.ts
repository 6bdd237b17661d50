import { sql, type SQL } from 'drizzle-orm'
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { foldText } from '../lib/fold-text'

/**
 * Returns the text by which rows are found and sorted: without case and accents, which SQLite
 * cannot fold itself.
 */
export const searchKey = (...texts: (string | null)[]): string =>
  texts
    .filter((text) => text !== null)
    .map(foldText)
    .join('\n')

/** Returns the condition that a key contains the typed text. All characters of it are literal. */
export const holdsText = (key: SQLiteColumn, typed: string): SQL =>
  sql`instr(${key}, ${foldText(typed)}) > 0`
