import type { views } from './table'

/** A row of the views table. */
export type ViewRow = typeof views.$inferSelect

/** A filter as stored. */
export type StoredFilter = Record<string, unknown>
