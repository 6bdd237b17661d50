import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { LOST_AFTER_RESTORE } from '../../inbox/messages/outbound/mark-unknown-after-restore'
import { notifyAboutCampaignIn } from './results/notify'
import { noticeText } from '../../organization/notifications/catalog'

const LIVE = new Set<unknown>(['scheduled', 'sending', 'paused'])

/** Pauses a scheduled, sending or paused campaign: it may have gone on where it came from. */
function pauseArriving(row: StoredRow, nowMs: number): StoredRow {
  const published = { published_at_ms: null, is_publish_due: 0 }
  if (row['deleted_at_ms'] !== null || !LIVE.has(row['status'])) return { ...row, ...published }
  return {
    ...row,
    ...published,
    status: 'paused',
    pause_reason: 'restored',
    resumes_at_ms: null,
    started_at_ms: row['started_at_ms'] ?? nowMs,
  }
}

function notifyPausedIn(tx: Tx, ctx: Ctx, row: StoredRow, { isMove }: { isMove: boolean }): void {
  if (isMove || row['status'] !== 'paused' || row['deleted_at_ms'] !== null) return
  const campaign = { id: bytesToUuid(row['id'] as Uint8Array), name: String(row['name']) }
  notifyAboutCampaignIn(tx, ctx, campaign, {
    kind: 'campaign_paused',
    severity: 'warning',
    title: 'Campaign paused',
    text: noticeText('campaign_paused_import'),
    body:
      'The organization was imported. Recipients may have received messages from the server it ' +
      'came from. Check this before you resume the campaign.',
  })
}

/** How campaigns arrive: paused, unless their jobs arrive. */
export const campaignArrival: Arrival = {
  change: (row, { nowMs, isMove }) => (isMove ? row : pauseArriving(row, nowMs)),
  followIn: notifyPausedIn,
}

/** How recipients arrive: those whose message was in progress are unknown. */
export const recipientArrival: Arrival = {
  change: (row, { nowMs, isMove }) =>
    row['status'] === 'sending' && !isMove
      ? {
          ...row,
          status: 'unknown',
          error: JSON.stringify(LOST_AFTER_RESTORE),
          error_code: LOST_AFTER_RESTORE.code,
          updated_at_ms: nowMs,
        }
      : row,
}

/** How the counts of a campaign arrive: as its recipients do. */
export const campaignCountArrival: Arrival = {
  change: (row, { isMove }) =>
    isMove ? row : { ...row, sending: 0, unknown: Number(row['unknown']) + Number(row['sending']) },
}
