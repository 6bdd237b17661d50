import { and, eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import { uuidPlaceholder } from '../../../infra/db/uuid'
import type { SendPath } from '../../../platform/client/client'
import type { AccountRow } from '../../accounts/view'
import { getOrganization } from '../../organizations/service'
import type { TemplateRow } from '../../templates/view'
import { sendAttempts } from '../table'

/** The business switched marketing off on the path of all other messages. */
const MARKETING_DISABLED_CODE = 131_063

const refusedAsMarketing = compiled((orm) =>
  orm
    .select({ attempt: sendAttempts.attempt })
    .from(sendAttempts)
    .where(
      inOrganization(
        anyScope,
        sendAttempts,
        and(
          eq(sendAttempts.messageId, uuidPlaceholder('messageId')),
          eq(sendAttempts.platformCode, MARKETING_DISABLED_CODE),
        ),
      ),
    )
    .limit(1)
    .prepare(),
)

/**
 * Returns the path on which a message goes to the platform. Marketing templates take the marketing
 * path as the policy of the number says. Every template that was refused as marketing on the other
 * path takes it too, because the platform may have changed its category. `messageId` is `null` in a
 * preview.
 */
export function sendPathOf(
  ctx: Ctx,
  messageId: string | null,
  { account, template }: { account: AccountRow; template: TemplateRow | null },
): SendPath {
  const { marketingPolicy: policy, marketingStatus: status } = account
  if (template === null || policy === 'never') return 'messages'
  const isOpen = policy === 'always' || status === 'onboarded'
  if (isOpen && template.category === 'MARKETING') return 'marketing_messages'
  if (messageId === null) return 'messages'
  const { organizationId } = ctx
  const refused = refusedAsMarketing(ctx.db).get({ organizationId, messageId })
  return refused === undefined ? 'messages' : 'marketing_messages'
}

/** Whether a refused message is tried once more, on the marketing path. */
export const triesMarketingPath = (
  call: { account: AccountRow; path: SendPath },
  platformCode: number | null,
): boolean =>
  platformCode === MARKETING_DISABLED_CODE &&
  call.path === 'messages' &&
  call.account.marketingPolicy !== 'never'

/** Returns the fields that only this path knows. */
export const fieldsOfPath = (ctx: Ctx, path: SendPath): Record<string, unknown> =>
  path === 'messages'
    ? {}
    : { message_activity_sharing: getOrganization(ctx).messageActivitySharing }
