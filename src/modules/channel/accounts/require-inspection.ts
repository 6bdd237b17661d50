import type { Ctx } from '../../../infra/ctx'
import { InvalidError, UnavailableError } from '../../../lib/errors'
import { BUSINESS_ACCOUNT_UNPROVEN, UNPROVEN_MESSAGE } from './business-proof'
import { inspectAccount, type AccountLink, type Inspection } from './inspect'
import { callPlatform, RETRY_AFTER_S } from './platform-errors'

const UNREACHABLE = 'The platform could not be reached. Try again, or send "verify": false.'

/**
 * Asks the platform about a number before it is connected or changed. Throws InvalidError
 * (`platform_rejected`, and `business_account_unproven` if the token does not prove the business
 * account) and UnavailableError.
 */
export async function requireInspection(ctx: Ctx, link: AccountLink): Promise<Inspection> {
  const found = await callPlatform(inspectAccount(ctx, link), {
    unreachable: UNREACHABLE,
    rejected: 'This token cannot read this `phone_id` on the platform.',
  })
  if (found.businessLink === 'unproven')
    throw new InvalidError(UNPROVEN_MESSAGE, { code: BUSINESS_ACCOUNT_UNPROVEN })
  if (found.businessLink === 'unknown')
    throw new UnavailableError(UNREACHABLE, RETRY_AFTER_S, { code: 'platform_unreachable' })
  return found
}
