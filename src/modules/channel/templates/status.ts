import type { TemplateRow } from './view'

/** Statuses in which the platform sends a template (platform documentation 4.4). */
const SENDABLE = new Set(['APPROVED', 'REINSTATED', 'FLAGGED'])

/** Reports whether the template can be sent now. */
export const isSendable = (
  row: Pick<TemplateRow, 'status' | 'publishedComponents' | 'deletedAtMs'>,
): boolean =>
  SENDABLE.has(row.status) && row.publishedComponents !== null && row.deletedAtMs === null

/** Reports whether WhatsApp is reviewing the template. */
export const isInReview = (row: Pick<TemplateRow, 'status' | 'deletedAtMs'>): boolean =>
  row.status === 'PENDING' && row.deletedAtMs === null

/** Returns the statuses in which a template can be sent, for list filters. */
export const sendableStatuses = (): string[] => [...SENDABLE]

/**
 * Reports whether the platform paused the template. Its messages wait, because the pause ends
 * without action.
 */
export const isPaused = (row: Pick<TemplateRow, 'status'>): boolean => row.status === 'PAUSED'

/**
 * Returns until when the platform prepares the template for the marketing path, or `null`. Its
 * messages wait.
 */
export const syncingUntilMs = (
  row: Pick<TemplateRow, 'syncingUntilMs'>,
  nowMs: number,
): number | null =>
  row.syncingUntilMs !== null && row.syncingUntilMs > nowMs ? row.syncingUntilMs : null

/** Largest expected difference between the clock of the platform and this server. */
const MAX_CLOCK_SKEW_MS = 120_000

/**
 * Returns the earliest platform time, milliseconds, at which an event is newer than data read at
 * `nowMs`.
 */
export const minEventTimeMs = (nowMs: number): number => Math.max(0, nowMs - MAX_CLOCK_SKEW_MS)
