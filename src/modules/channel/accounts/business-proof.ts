import type { Ctx } from '../../../infra/ctx'
import type { TokenFacts } from '../../../platform/client/administration'
import type { BusinessAccess, NumberAccess } from '../../../platform/client/graph-request'
import { PlatformError } from '../../../platform/client/errors'
import { isTemporary } from './platform-errors'

/** Status reason of a number whose token does not prove its business account. */
export const BUSINESS_ACCOUNT_UNPROVEN = 'business_account_unproven'

/** The message for that reason. */
export const UNPROVEN_MESSAGE =
  'The access token does not prove that this phone number belongs to the business ' +
  'account. Check `business_id`, or use a token with access to that business account.'

/** Whether a number belongs to a business account; `unknown` while the platform cannot answer. */
export type BusinessProof = 'proven' | 'unproven' | 'unknown'

/**
 * Result of a token inspection: the facts, `null` if the platform rejected it, or `unknown` while
 * the platform cannot answer.
 */
export type TokenAnswer = TokenFacts | null | 'unknown'

/**
 * Whether the platform confirms that a number belongs to its business account: the token's granular
 * scopes name the business account, or the business account lists the number. Returns `unknown`
 * when the platform cannot answer now.
 */
export async function proveBusiness(
  ctx: Ctx,
  link: NumberAccess & BusinessAccess,
  token: TokenAnswer,
): Promise<BusinessProof> {
  const { phoneId, businessId, apiVersion, accessToken, signal } = link
  if (token !== null && token !== 'unknown' && token.businessIds.includes(businessId))
    return 'proven'
  try {
    const phones = await ctx.platform.listPhoneNumbers({
      businessId,
      apiVersion,
      accessToken,
      signal,
    })
    if (phones.some(({ id }) => id === phoneId)) return 'proven'
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (isTemporary(error)) return 'unknown'
  }
  return token === 'unknown' ? 'unknown' : 'unproven'
}
