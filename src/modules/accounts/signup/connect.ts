import { and, eq, isNull } from 'drizzle-orm'

import { fieldSentence, AppError, InvalidError } from '../../../lib/errors'
import { isName } from '../../../lib/fields'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { PhoneNumberFacts } from '../../../platform/client/client'
import { installedApp } from '../platform-calls'
import { registerAccount } from '../register'
import { asked } from '../platform-errors'
import { createAccount, getAccount } from '../service'
import { subscribeAccount } from '../subscribe'
import { accounts } from '../table'
import { accountView } from '../view'
import type { SignedUpView, SignupCode, SignupConfigView } from './model'

/** What a page needs to open the signup dialog; nulls when signup is not set up. */
export function signupConfig(ctx: Pick<Ctx, 'settings'>): SignupConfigView {
  const { appId, signupConfigId, platformApiVersion } = ctx.settings
  if (appId === null || signupConfigId === null)
    return { app_id: null, config_id: null, api_version: null }
  return { app_id: appId, config_id: signupConfigId, api_version: platformApiVersion }
}

/**
 * Connects the number somebody chose in the platform's signup dialog: trades the code for a token,
 * connects, subscribes, and registers a number that is not yet. What the last two steps come to is
 * told as warnings. Throws InvalidError (`signup_not_configured`, `platform_rejected`,
 * `invalid_input` when the token is for several numbers) and what createAccount throws.
 */
export async function connectByCode(ctx: Ctx, input: SignupCode): Promise<SignedUpView> {
  const app = installedApp(ctx)
  if (app === null)
    throw new InvalidError(
      'Embedded signup is not configured. The operator must set `APP_ID` and `APP_SECRET`.',
      {
        code: 'signup_not_configured',
      },
    )
  const apiVersion = ctx.settings.platformApiVersion
  const accessToken = await asked(
    ctx.platform.exchangeCode({ apiVersion, app, code: input.code }),
    {
      rejected:
        'The platform rejected this code. A code can be used once, within 30 seconds. Open the ' +
        'signup dialog again.',
      isFinalAt: 400,
    },
  )
  const businessId =
    input.business_id ?? (await onlyBusiness(ctx, { apiVersion, accessToken, app }))
  const phones = await asked(
    ctx.platform.listPhoneNumbers({ apiVersion, accessToken, businessId }),
    {
      rejected: 'The token of this code cannot read the business account.',
    },
  )
  const phone = chosen(phones, input.phone_id)
  const account = await createAccount(ctx, {
    name: input.name ?? freeName(ctx, phone),
    phone_id: phone.id,
    business_id: businessId,
    access_token: accessToken,
    app_id: app.id,
  })
  const warnings = [
    await subscribing(ctx, account.id),
    ...(isReady(phone) ? [] : [await registering(ctx, account.id)]),
  ]
  return transact(ctx.db, () => ({
    account: accountView(getAccount(ctx, account.id)),
    warnings: warnings.filter((warning) => warning !== null),
  }))
}

/**
 * Whether a number can be used as it is: it is registered, or it is that of a business phone, whose
 * app registered it.
 */
const isReady = ({ status, isOnBizApp }: PhoneNumberFacts): boolean =>
  status === 'CONNECTED' || isOnBizApp === true

/** The business account a token is for, when it is for one only. */
async function onlyBusiness(
  ctx: Ctx,
  call: Parameters<Ctx['platform']['inspectToken']>[0],
): Promise<string> {
  const { businessIds } = await asked(ctx.platform.inspectToken(call), {
    rejected: 'The platform does not report which accounts the token of this code is for.',
  })
  const [only] = businessIds
  if (only !== undefined && businessIds.length === 1) return only
  throw required(
    'business_id',
    `is required because the token is for ${businessIds.length} business accounts`,
  )
}

/** The number that is meant, when it goes without saying. */
function chosen(phones: PhoneNumberFacts[], phoneId: string | undefined): PhoneNumberFacts {
  const meant = phoneId === undefined ? phones : phones.filter(({ id }) => id === phoneId)
  const [only] = meant
  if (only && meant.length === 1) return only
  if (phoneId === undefined)
    throw required(
      'phone_id',
      `is required because the business account has ${phones.length} phone numbers`,
    )
  throw required('phone_id', 'is not a phone number of this business account')
}

const required = (field: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(field, message), {
    code: 'invalid_input',
    errors: [{ path: `body.${field}`, message }],
  })

/** Room for the digits behind a name. */
const LONGEST = 60

/** What to call a number nobody named: its verified name, with its digits where that is taken. */
function freeName(ctx: Ctx, { verifiedName, displayPhoneNumber, id }: PhoneNumberFacts): string {
  const given = verifiedName?.trim() ?? ''
  const name = isName(given, LONGEST) ? given : (displayPhoneNumber ?? id).slice(0, LONGEST)
  const taken = ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      inOrganization(ctx, accounts, and(eq(accounts.name, name), isNull(accounts.deletedAtMs))),
    )
    .get()
  return taken ? `${name} ${displayPhoneNumber ?? id}` : name
}

const subscribing = (ctx: Ctx, id: string): Promise<string | null> =>
  orWarning(
    subscribeAccount(ctx, id, { hasOwnCallback: false }),
    'Webhooks of the number are not subscribed yet. Subscribe the number.',
  )

const registering = (ctx: Ctx, id: string): Promise<string | null> =>
  orWarning(
    registerAccount(ctx, id, undefined),
    'The number is not registered for sending yet. Register it.',
  )

/** `null` when a step worked; else what to do about it, and why. */
async function orWarning(step: Promise<void>, words: string): Promise<string | null> {
  try {
    await step
    return null
  } catch (error) {
    if (error instanceof AppError) return `${words} ${error.message}`
    throw error
  }
}
