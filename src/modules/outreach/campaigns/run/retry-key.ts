import type { Ctx } from '../../../../infra/ctx'
import { hasLiveJob } from '../../../../infra/jobs/waiting-jobs'
import { RetryRecipients } from '../jobs'

/** The ordering key of the jobs that retry recipients of one campaign. */
export const retryKeyOf = (campaignId: string): string => `campaign-retry:${campaignId}`

/** Reports whether a retry of the campaign is unfinished. */
export const isRetrying = (ctx: Ctx, campaignId: string): boolean =>
  hasLiveJob(ctx, { kind: RetryRecipients.name, orderingKeys: [retryKeyOf(campaignId)] })
