import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { plausibleTime } from '../../../platform/platform-time'
import type { CallReport } from '../../../platform/webhook/calls'
import type { AccountRow } from '../accounts/view'
import { findContact } from '../../inbox/contacts/service'
import { recordInboundMediaIn } from '../media/receive'
import { publishCallIn } from './publish'
import { callStateOf, UNREPORTED_END } from './rules'
import type { CallRow } from './row'
import { showInConversationIn } from './show-in-conversation'
import { calls } from './table'

/** A report of the platform about a call, with what is known of its call. */
export interface ReportedCall {
  account: AccountRow
  report: CallReport
  contactId: string
  /** The call, or `null` for the first report. */
  known: CallRow | null
  receivedAtMs: number
  /** Set when a delivery is reprocessed much later: nothing reacts to it. */
  isLate: boolean
}

/**
 * Stores what the platform reports about a call, in the caller's transaction, and publishes it. The
 * same reports in any order and any number give the same call. A customer's call opens the 24-hour
 * window and reopens the conversation; a missed one counts as unread. Returns whether anything
 * changed.
 */
export function recordCallIn(tx: Tx, ctx: Ctx, reported: ReportedCall): boolean {
  const { known } = reported
  const before = known ?? newCall(ctx, reported)
  const after = withReport(tx, ctx, before, reported)
  if (known !== null && isSame(known, after)) return false
  storeCallIn(tx, ctx, { before: known, after, isLate: reported.isLate })
  return true
}

/** Stores a new or changed call with its derived state, and shows and publishes it. */
function storeCallIn(
  tx: Tx,
  ctx: Ctx,
  { before, after, isLate }: { before: CallRow | null; after: CallRow; isLate: boolean },
): void {
  const row = { ...after, state: callStateOf(after), updatedAtMs: ctx.clock.nowMs() }
  if (before === null) tx.insert(calls).values(row).run()
  else
    tx.update(calls)
      .set(row)
      .where(inOrganization(ctx, calls, eq(calls.id, row.id)))
      .run()
  showInConversationIn(tx, ctx, { before, after: row })
  publishCallIn(tx, ctx, { before, after: row, isLate })
}

/** Ends a call as missed whose end the platform never reported. A later report still counts. */
export const endUnreportedIn = (tx: Tx, ctx: Ctx, call: CallRow): void =>
  storeCallIn(tx, ctx, {
    before: call,
    after: { ...call, endStatus: UNREPORTED_END },
    isLate: false,
  })

function newCall(ctx: Ctx, { account, report, contactId, receivedAtMs }: ReportedCall): CallRow {
  const isBlocked = findContact(ctx, contactId)?.blockedAtMs != null
  const nowMs = ctx.clock.nowMs()
  return {
    organizationId: ctx.organizationId,
    id: ctx.ids.next(),
    contactId,
    accountId: account.id,
    waCallId: report.waCallId,
    direction: report.direction,
    state: 'ringing',
    timestampMs: plausibleTime(report.timestampMs, receivedAtMs),
    connectAtMs: null,
    acceptedAtMs: null,
    rejectedAtMs: null,
    endedAtMs: null,
    endStatus: null,
    startedAtMs: null,
    durationSeconds: null,
    error: null,
    recordingMediaId: null,
    transcriptMediaId: null,
    readAtMs: isBlocked ? receivedAtMs : null,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  }
}

const earlier = (known: number | null, reportedMs: number): number =>
  known === null ? reportedMs : Math.min(known, reportedMs)

/** Adds a report to a call. Of repeated reports with different times the earliest counts. */
function withReport(tx: Tx, ctx: Ctx, call: CallRow, reported: ReportedCall): CallRow {
  const { report, receivedAtMs } = reported
  const atMs = plausibleTime(report.timestampMs, receivedAtMs)
  const direction = report.isDirectionTold ? report.direction : call.direction
  const row = { ...call, direction, timestampMs: Math.min(call.timestampMs, atMs) }
  switch (report.report) {
    case 'connect':
      return { ...row, connectAtMs: earlier(call.connectAtMs, atMs) }
    case 'accepted':
      return { ...row, acceptedAtMs: earlier(call.acceptedAtMs, atMs) }
    case 'rejected':
      return { ...row, rejectedAtMs: earlier(call.rejectedAtMs, atMs) }
    case 'terminate':
      return {
        ...row,
        endedAtMs: earlier(call.endedAtMs, atMs),
        endStatus: reportedEndOf(call) ?? report.endStatus,
        startedAtMs: call.startedAtMs ?? startOf(reported),
        durationSeconds: call.durationSeconds ?? report.durationSeconds,
        error: call.error ?? errorOf(report),
      }
    case 'recording':
      return {
        ...row,
        recordingMediaId: call.recordingMediaId ?? fileOf(tx, ctx, reported, 'audio'),
      }
    case 'transcript':
      return {
        ...row,
        transcriptMediaId: call.transcriptMediaId ?? fileOf(tx, ctx, reported, 'document'),
      }
    default:
      return row
  }
}

const reportedEndOf = ({ endStatus }: CallRow): string | null =>
  endStatus === UNREPORTED_END ? null : endStatus

const startOf = ({ report: { startedAtMs }, receivedAtMs }: ReportedCall): number | null =>
  startedAtMs === null ? null : plausibleTime(startedAtMs, receivedAtMs)

const errorOf = ({ errors: [first] }: CallReport): string | null =>
  first === undefined
    ? null
    : JSON.stringify({ code: first.code, message: first.message ?? first.title })

/** Schedules the download of a recording or transcript. Returns the ID of the file. */
function fileOf(
  tx: Tx,
  ctx: Ctx,
  { account, report }: ReportedCall,
  kind: 'audio' | 'document',
): string | null {
  return report.file === null
    ? null
    : recordInboundMediaIn(tx, ctx, {
        accountId: account.id,
        kind,
        origin: 'inbound',
        ref: report.file,
        isLost: false,
      })
}

const isSame = (before: CallRow, after: CallRow): boolean =>
  (Object.keys(before) as (keyof CallRow)[]).every((column) => before[column] === after[column])
