import { isoTimeOrNull, MINUTE_MS } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { callPlatform } from '../accounts/platform-errors'
import type { FlowPreview } from './model'
import { changeFlowIn, requireFlow } from './state'
import { requireAccount } from './lock'
import { flowCallOf, flowNotSaved } from './lock'

/** A link that expires within this time is renewed. */
const EXPIRY_MARGIN_MS = MINUTE_MS

/**
 * Returns the preview link of a Flow. Renews an expired link, or any link with `refresh`. Throws
 * NotFoundError, InvalidError `not_saved` and `platform_rejected`, and UnavailableError.
 */
export async function previewFlow(
  ctx: Ctx,
  id: string,
  { refresh }: { refresh: boolean },
): Promise<FlowPreview> {
  const row = requireFlow(ctx, id)
  if (row.metaFlowId === null) throw flowNotSaved()
  const isGood =
    row.previewUrl !== null && (row.previewExpiresAtMs ?? 0) - ctx.clock.nowMs() > EXPIRY_MARGIN_MS
  if (row.previewUrl !== null && isGood && !refresh)
    return { preview_url: row.previewUrl, expires_at: isoTimeOrNull(row.previewExpiresAtMs) }
  const call = flowCallOf(ctx, { row, account: requireAccount(ctx, row) })
  const { url, expiresAtMs } = await callPlatform(
    ctx.platform.getFlowPreview({ ...call, isRenewed: refresh }),
    {
      rejected: 'The platform did not return a preview of this flow.',
    },
  )
  transact(
    ctx.db,
    (tx) =>
      void changeFlowIn(tx, ctx, id, { previewUrl: url, previewExpiresAtMs: expiresAtMs }, []),
  )
  return { preview_url: url, expires_at: isoTimeOrNull(expiresAtMs) }
}
