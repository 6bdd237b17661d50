import { fieldSentence, InvalidError } from '../../../../lib/errors'
import { throwProblems } from '../../../../lib/input-problems'
import type { Ctx } from '../../../../infra/ctx'
import type { AppCredentials } from '../../../../platform/client/administration'
import type { PhoneNumberFacts } from '../../../../platform/client/client'
import { installedApp } from '../platform-calls'
import { callPlatform } from '../platform-errors'
import type { SignupCode } from './model'
import { openSignupToken, sealSignupToken } from './token'

/** The token that a person got in the dialog, and what is needed to ask about it. */
export interface Grant {
  app: AppCredentials
  apiVersion: string
  accessToken: string
}

/** A number that the token is for, and its business account. */
export interface FoundNumber {
  businessId: string
  phone: PhoneNumberFacts
}

/** Returns the installation's app. Throws InvalidError `signup_not_configured`. */
export function requireApp(ctx: Ctx): AppCredentials {
  const app = installedApp(ctx)
  if (app === null)
    throw new InvalidError(
      'Embedded signup is not configured. The operator must set `APP_ID` and `APP_SECRET`.',
      { code: 'signup_not_configured' },
    )
  return app
}

/**
 * Returns the platform's token: of the code, or of an earlier answer about the same code. Throws
 * InvalidError (`signup_not_configured`, `platform_rejected`, `signup_token_invalid`) and
 * UnavailableError.
 */
export async function grantOf(
  ctx: Ctx,
  { code, signup_token: token, redirect_uri: redirectUri }: SignupCode,
): Promise<Grant> {
  const app = requireApp(ctx)
  const apiVersion = ctx.settings.platformApiVersion
  if ((code === undefined) === (token === undefined))
    throwProblems([
      { path: 'body.code', message: 'or signup_token is required, but only one of them' },
    ])
  if (token !== undefined) return { app, apiVersion, accessToken: openSignupToken(ctx, token) }
  const accessToken = await callPlatform(
    ctx.platform.exchangeCode({
      apiVersion,
      app,
      code: code ?? '',
      redirectUri: redirectUri ?? null,
    }),
    {
      rejected:
        'The platform rejected this code. A code can be used once, within 30 seconds, with the ' +
        '`redirect_uri` of the dialog. Open the signup dialog again.',
      isFinalAt: 400,
    },
  )
  return { app, apiVersion, accessToken }
}

/** A token of the signup dialog is for the one business account that the person chose, or a few. */
const MAX_BUSINESSES = 20

/** Returns the business accounts that the token is for. */
export async function businessesOf(ctx: Ctx, grant: Grant): Promise<string[]> {
  const { businessIds } = await callPlatform(ctx.platform.inspectToken(grant), {
    rejected: 'The platform does not report which accounts the token of this code is for.',
  })
  return businessIds.slice(0, MAX_BUSINESSES)
}

/** Returns the numbers of business accounts. */
export async function numbersOf(
  ctx: Ctx,
  grant: Grant,
  businessIds: readonly string[],
): Promise<FoundNumber[]> {
  const numbers: FoundNumber[] = []
  for (const businessId of businessIds) {
    const phones = await callPlatform(ctx.platform.listPhoneNumbers({ ...grant, businessId }), {
      rejected: 'The token of this code cannot read the business account.',
    })
    numbers.push(...phones.map((phone) => ({ businessId, phone })))
  }
  return numbers
}

/**
 * Returns the number with the given ID, or the only one. Throws InvalidError: `no_number` if the
 * business accounts have none, and `choice_required` with all numbers. Both hold the token for the
 * next request, because the code is used up.
 */
export async function findNumber(
  ctx: Ctx,
  grant: Grant,
  { business_id: businessId, phone_id: phoneId }: SignupCode,
): Promise<FoundNumber> {
  const businessIds = businessId === undefined ? await businessesOf(ctx, grant) : [businessId]
  const found = await numbersOf(ctx, grant, businessIds)
  const matching = phoneId === undefined ? found : found.filter(({ phone }) => phone.id === phoneId)
  const [only] = matching
  if (only && matching.length === 1) return only
  const signupToken = sealSignupToken(ctx, grant.accessToken)
  if (found.length === 0)
    throw new InvalidError(
      'The business account has no phone number yet. Add one with `POST /api/accounts/new-number`, ' +
        'or add it in the WhatsApp Manager and send `signup_token` again.',
      { code: 'no_number', details: { signup_token: signupToken, business_ids: businessIds } },
    )
  const message =
    phoneId === undefined
      ? `is required because the token is for ${found.length} phone numbers`
      : 'is not a phone number that the token is for'
  throw new InvalidError(fieldSentence('phone_id', message), {
    code: 'choice_required',
    errors: [{ path: 'body.phone_id', message }],
    details: {
      signup_token: signupToken,
      numbers: found.map(({ businessId: id, phone }) => ({
        phone_id: phone.id,
        business_id: id,
        display_phone_number: phone.displayPhoneNumber,
        verified_name: phone.verifiedName,
      })),
    },
  })
}
