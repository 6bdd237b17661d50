import { and, eq, inArray } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../../infra/ctx'
import { compiled, place } from '../../../../infra/db/compiled'
import type { SendPath } from '../../../../platform/client/client'
import type { AccountRow } from '../../../channel/accounts/view'
import { getOrganization } from '../../../organization/organizations/service'
import type { TemplateRow } from '../../../channel/templates/view'
import { sendAttempts } from '../table'

/** Refused on `messages`: it is marketing, which the business has switched off there. */
const MARKETING_DISABLED_CODE = 131_063

/** Refused on `marketing_messages`: it is no marketing template. */
const NOT_MARKETING_CODE = 134_100

/**
 * Refused on `marketing_messages`: the path does not take it. Without fall-back the reason may also
 * be that the business has not accepted the terms.
 */
const NOT_TAKEN_CODE = 131_055

const refusedAttempts = compiled((orm) =>
  orm
    .select({ path: sendAttempts.path, platformCode: sendAttempts.platformCode })
    .from(sendAttempts)
    .where(
      inOrganization(
        anyScope,
        sendAttempts,
        and(
          eq(sendAttempts.messageId, place(sendAttempts.messageId, 'messageId')),
          inArray(sendAttempts.platformCode, [
            MARKETING_DISABLED_CODE,
            NOT_MARKETING_CODE,
            NOT_TAKEN_CODE,
          ]),
        ),
      ),
    )
    .prepare(),
)

/** Returns the paths that refused a message because of the category of its template. */
function pathsOfOtherCategory(
  ctx: Ctx,
  messageId: string,
  { marketingPolicy }: AccountRow,
): ReadonlySet<SendPath> {
  const { organizationId } = ctx
  return new Set(
    refusedAttempts(ctx.db)
      .all({ organizationId, messageId })
      .filter(({ path, platformCode }) =>
        path === 'messages'
          ? platformCode === MARKETING_DISABLED_CODE
          : platformCode === NOT_MARKETING_CODE ||
            (platformCode === NOT_TAKEN_CODE && marketingPolicy === 'fallback'),
      )
      .map(({ path }) => path),
  )
}

const OTHER_PATH = { messages: 'marketing_messages', marketing_messages: 'messages' } as const

/**
 * Returns the path on which a message goes to the platform. Marketing templates take the marketing
 * path. A template that the platform files under another category than we know takes the other path
 * once it was refused. `messageId` is `null` in a preview.
 */
export function sendPathOf(
  ctx: Ctx,
  messageId: string | null,
  { account, template }: { account: AccountRow; template: TemplateRow | null },
): SendPath {
  if (template === null) return 'messages'
  const path = template.category === 'MARKETING' ? 'marketing_messages' : 'messages'
  const isOther = messageId !== null && pathsOfOtherCategory(ctx, messageId, account).has(path)
  return isOther ? OTHER_PATH[path] : path
}

/** Whether a refused message is tried once more, on the other path. */
export function triesOtherPath(
  ctx: Ctx,
  messageId: string,
  { account, path }: { account: AccountRow; path: SendPath },
): boolean {
  const refused = pathsOfOtherCategory(ctx, messageId, account)
  return refused.has(path) && refused.size === 1
}

/** Returns the fields that only this path knows. */
export const fieldsOfPath = (
  ctx: Ctx,
  { account, path }: { account: AccountRow; path: SendPath },
): Record<string, unknown> =>
  path === 'messages'
    ? {}
    : {
        product_policy: account.marketingPolicy === 'strict' ? 'STRICT' : 'CLOUD_API_FALLBACK',
        message_activity_sharing: getOrganization(ctx).messageActivitySharing,
      }
