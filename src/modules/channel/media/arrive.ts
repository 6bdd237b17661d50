import type { Arrival, StoredRow } from '../../../infra/arrival'
import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { bytesToUuid } from '../../../infra/db/uuid'
import { enqueue } from '../../../infra/jobs/enqueue'
import { DownloadMedia } from './jobs'

function downloadIn(tx: Tx, ctx: Ctx, row: StoredRow, { isMove }: { isMove: boolean }): void {
  if (row['state'] !== 'pending' || isMove) return
  enqueue(tx, ctx, DownloadMedia, { args: { mediaId: bytesToUuid(row['id'] as Uint8Array) } })
}

/** How files arrive: those that the archive does not contain have expired. */
export const mediaArrival: Arrival = {
  change: (row, { isFileGone }) =>
    isFileGone && row['state'] === 'ready' ? { ...row, state: 'expired', stored_as: null } : row,
  followIn: downloadIn,
}

/** How branding arrives: without a logo if the archive does not contain it. */
export const brandingArrival: Arrival = {
  change: (row, { isFileGone }) =>
    isFileGone
      ? {
          ...row,
          logo_name: null,
          stored_as: null,
          mime_type: null,
          size_bytes: null,
          sha256: null,
        }
      : row,
}
