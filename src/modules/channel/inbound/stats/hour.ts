import { HOUR_MS } from '../../../../lib/clock'

/** Stored as the organization of unrouted changes. */
export const NOBODY = ''

/** Returns the start of the hour, epoch milliseconds. */
export const hourOf = (atMs: number): number => atMs - (atMs % HOUR_MS)
