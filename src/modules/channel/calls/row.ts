import type { calls } from './table'

/** Database row of a call. */
export type CallRow = typeof calls.$inferSelect
