import type { MoveReason, MoveRow } from '../table'
import { ClocksDiffer, MoveRefused, TargetBusy, TargetFailing, TargetSilent } from './ask-target'

/** Why a move waits, failed or was aborted, as it is stored: a sentence and its code. */
export type MoveProblem = Pick<MoveRow, 'error'> & { error: string; errorCode: MoveReason }

/** The organization cannot be written into an archive now. */
export class ArchiveFailed extends Error {
  override readonly name = 'ArchiveFailed'
}

const CODES = new Map<unknown, MoveReason>([
  [TargetBusy, 'import_running'],
  [TargetSilent, 'unreachable'],
  [ClocksDiffer, 'clocks_differ'],
  [TargetFailing, 'cell_failing'],
  [ArchiveFailed, 'archive_failed'],
])

/** Codes of a refusal that are shown as they are; the others are refusals of the target. */
const SHOWN = new Set<string>([
  'counts_differ',
  'disk_full',
  'frozen_too_long',
  'import_cancelled',
  'import_failed',
  'import_running',
  'organization_busy',
  'organization_deleting',
  'organization_exists',
  'unknown_cell',
] satisfies MoveReason[])

const isShown = (code: string): code is MoveReason => SHOWN.has(code)

/** Returns what is stored of an error that a step threw. */
export function problemOf(error: unknown): MoveProblem {
  if (!(error instanceof Error)) return { error: 'The step failed.', errorCode: 'failed' }
  const { message } = error
  if (error instanceof MoveRefused)
    return { error: message, errorCode: isShown(error.code) ? error.code : 'cell_refused' }
  return { error: message, errorCode: CODES.get(error.constructor) ?? 'failed' }
}
