import type { InboundEventRow } from '../journal/row'

/** Writes the changed row of a change: an insert for a new row, an update otherwise. */
export type Write = (row: InboundEventRow) => void

/** The part of a change to process, and options. */
export interface ProcessOptions {
  write: Write
  from: number
  isReplay: boolean
  /** Whether it may still wait for an earlier change about the same people that is in progress. */
  mayWait: () => boolean
}

/** The item from which to process a stored change, and the options. */
export type Part = Omit<ProcessOptions, 'write'> & { eventId: string }

/**
 * The progress of a change: the next item (`null` when it is finished), whether it must wait for an
 * earlier change, and its rows for further organizations.
 */
export interface Progress {
  next: number | null
  mustWait: boolean
  shared: { eventId: string; organizationId: string }[]
}

/** A finished change. */
export const DONE: Progress = { next: null, mustWait: false, shared: [] }
