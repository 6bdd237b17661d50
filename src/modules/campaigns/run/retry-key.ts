import type { Ctx } from '../../../infra/ctx'
import { hasLiveJob } from '../../../infra/jobs/enqueue'
import { RetryRecipients } from '../jobs'

/** The ordering key of the jobs that retry recipients of one campaign. */
export const retryKeyOf = (campaignId: string): string => `campaign-retry:${campaignId}`

/** Whether recipients of a campaign are still being made pending again. */
export const isRetrying = (ctx: Ctx, campaignId: string): boolean =>
  hasLiveJob(ctx, { kind: RetryRecipients.name, serialKeys: [retryKeyOf(campaignId)] })
