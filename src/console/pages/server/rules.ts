import type { Data } from '../../api/client'

/** A move of an organization. */
export type Move = Data<'GET /api/admin/organizations/moves'>['items'][number]
/** The import of an organization. */
export type OrganizationImport = Data<'GET /api/admin/organizations/imports'>['items'][number]

/** How a figure is summed up over the day. */
export type Summing = 'total' | 'now' | 'most'

/** Returns the figure of a day: its sum, its last or its largest value. */
export function figureOf(sum: Summing, values: readonly number[]): number {
  if (sum === 'total') return values.reduce((total, value) => total + value, 0)
  return sum === 'now' ? (values.at(-1) ?? 0) : Math.max(0, ...values)
}

/** What is known of a job where something is done with it. */
export interface KnownJob {
  id: string
  kind: string
  state: string
}

/** Whether a job can run again now. */
export const canRetry = ({ state }: KnownJob): boolean =>
  ['discarded', 'cancelled', 'retryable', 'scheduled'].includes(state)
/** Whether a job waits and can be given up. */
export const canDiscard = ({ state }: KnownJob): boolean =>
  ['available', 'retryable', 'scheduled'].includes(state)

/** Returns how far a move is within its step: what is counted, and of how much. */
export function progressOf(move: Move): { done: number; total: number | null } {
  const { step, sent_bytes: sent, archive_bytes: bytes, rows_done: done, rows_total: all } = move
  if (step === 'uploading') return { done: sent, total: bytes }
  if (step === 'importing' && all > 0) return { done, total: all }
  return { done: 0, total: null }
}

/** Whether an organization can begin to move: it works here, and is not about to move. */
export const canMove = (state: string, newest: Pick<Move, 'finished_at'> | undefined): boolean =>
  state === 'active' && newest?.finished_at !== null

/** What prevents an import. */
export const BLOCKING = new Set(['organization_exists', 'number_in_use'])

/** Returns whether a checked archive can be imported. */
export const canCommit = ({
  state,
  conflicts,
}: Pick<OrganizationImport, 'state' | 'conflicts'>): boolean =>
  state === 'checked' && !conflicts.some(({ kind }) => BLOCKING.has(kind))
