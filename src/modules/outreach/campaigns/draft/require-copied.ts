import { ConflictError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { hasLiveJob } from '../../../../infra/jobs/waiting-jobs'
import type { CampaignRow } from '../view'
import { CopyRecipients } from '../jobs'
import { copyKeyOf } from './copy-key'

/**
 * Requires that no recipients are being copied to the campaign. Throws ConflictError `wrong_state`.
 */
export function requireCopied(ctx: Ctx, { id, status }: Pick<CampaignRow, 'id' | 'status'>): void {
  if (hasLiveJob(ctx, { kind: CopyRecipients.name, orderingKeys: [copyKeyOf(id)] }))
    throw new ConflictError(
      'Recipients are still being copied to this campaign. Try again when copying is ' +
        'complete.',
      {
        code: 'wrong_state',
        details: { status },
      },
    )
}
