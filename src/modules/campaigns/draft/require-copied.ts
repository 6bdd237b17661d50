import { ConflictError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { hasLiveJob } from '../../../infra/jobs/enqueue'
import type { CampaignRow } from '../view'
import { CopyRecipients } from '../jobs'
import { copyKeyOf } from './copy-key'

/**
 * Refuses what needs all recipients of a campaign while they are still being copied to it. Throws
 * ConflictError `wrong_state`.
 */
export function refuseWhileCopied(
  ctx: Ctx,
  { id, status }: Pick<CampaignRow, 'id' | 'status'>,
): void {
  if (hasLiveJob(ctx, { kind: CopyRecipients.name, serialKeys: [copyKeyOf(id)] }))
    throw new ConflictError(
      'Recipients are still being copied to this campaign. Try again when copying is ' +
        'complete.',
      {
        code: 'wrong_state',
        details: { status },
      },
    )
}
