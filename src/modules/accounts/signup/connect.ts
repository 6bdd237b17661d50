import { and, eq, isNull } from 'drizzle-orm'

import { fieldSentence, AppError, InvalidError } from '../../../lib/errors'
import { isName } from '../../../lib/fields'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { PhoneNumberFacts } from '../../../platform/client/client'
import { installedApp } from '../platform-calls'
import { registerAccount } from '../register'
import { callPlatform } from '../platform-errors'
import { createAccount } from '../create'
import { getAccount } from '../queries'
import { subscribeAccount } from '../subscribe'
import { accounts } from '../table'
import { accountView } from '../view'
import type { SignedUpView, SignupCode, SignupConfigView } from './model'

/** Returns the parameters of the signup dialog, all `null` if signup is not configured. */
export function signupConfig(ctx: Pick<Ctx, 'settings'>): SignupConfigView {
  const { appId, signupConfigId, platformApiVersion } = ctx.settings
  if (appId === null || signupConfigId === null)
    return { app_id: null, config_id: null, api_version: null }
  return { app_id: appId, config_id: signupConfigId, api_version: platformApiVersion }
}

/**
 * Connects the number that was chosen in the platform's signup dialog: exchanges the code for a
 * token, connects and subscribes the number, and registers it if necessary. Failures of the last
 * two steps become warnings. Throws InvalidError (`signup_not_configured`, `platform_rejected`,
 * `invalid_input` if the token is for several numbers) and the errors of createAccount.
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
  const accessToken = await callPlatform(
    ctx.platform.exchangeCode({ apiVersion, app, code: input.code }),
    {
      rejected:
        'The platform rejected this code. A code can be used once, within 30 seconds. Open the ' +
        'signup dialog again.',
      isFinalAt: 400,
    },
  )
  const businessId =
    input.business_id ?? (await requireOnlyBusiness(ctx, { apiVersion, accessToken, app }))
  const phones = await callPlatform(
    ctx.platform.listPhoneNumbers({ apiVersion, accessToken, businessId }),
    {
      rejected: 'The token of this code cannot read the business account.',
    },
  )
  const phone = choosePhone(phones, input.phone_id)
  const account = await createAccount(ctx, {
    name: input.name ?? freeName(ctx, phone),
    phone_id: phone.id,
    business_id: businessId,
    access_token: accessToken,
    app_id: app.id,
  })
  const warnings = [
    await subscribeOrWarn(ctx, account.id),
    ...(isReady(phone) ? [] : [await registerOrWarn(ctx, account.id)]),
  ]
  return transact(ctx.db, () => ({
    account: accountView(getAccount(ctx, account.id)),
    warnings: warnings.filter((warning) => warning !== null),
  }))
}

/** Whether a number is registered already, by the platform or by the WhatsApp Business app. */
const isReady = ({ status, isOnBizApp }: PhoneNumberFacts): boolean =>
  status === 'CONNECTED' || isOnBizApp === true

/** Returns the only business account of a token. Throws InvalidError if there are several. */
async function requireOnlyBusiness(
  ctx: Ctx,
  call: Parameters<Ctx['platform']['inspectToken']>[0],
): Promise<string> {
  const { businessIds } = await callPlatform(ctx.platform.inspectToken(call), {
    rejected: 'The platform does not report which accounts the token of this code is for.',
  })
  const [only] = businessIds
  if (only !== undefined && businessIds.length === 1) return only
  throw required(
    'business_id',
    `is required because the token is for ${businessIds.length} business accounts`,
  )
}

/**
 * Returns the number with this ID, or the only number of the business account. Throws InvalidError.
 */
function choosePhone(phones: PhoneNumberFacts[], phoneId: string | undefined): PhoneNumberFacts {
  const matching = phoneId === undefined ? phones : phones.filter(({ id }) => id === phoneId)
  const [only] = matching
  if (only && matching.length === 1) return only
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

/** Longest generated name, so that the digits fit behind it. */
const MAX_NAME_LENGTH = 60

/**
 * Returns a name for a number: its verified name, followed by its digits if another number has that
 * name.
 */
function freeName(ctx: Ctx, { verifiedName, displayPhoneNumber, id }: PhoneNumberFacts): string {
  const given = verifiedName?.trim() ?? ''
  const name = isName(given, MAX_NAME_LENGTH)
    ? given
    : (displayPhoneNumber ?? id).slice(0, MAX_NAME_LENGTH)
  const taken = ctx.db.orm
    .select({ id: accounts.id })
    .from(accounts)
    .where(
      inOrganization(ctx, accounts, and(eq(accounts.name, name), isNull(accounts.deletedAtMs))),
    )
    .get()
  return taken ? `${name} ${displayPhoneNumber ?? id}` : name
}

const subscribeOrWarn = (ctx: Ctx, id: string): Promise<string | null> =>
  orWarning(
    subscribeAccount(ctx, id, { hasOwnCallback: false }),
    'Webhooks of the number are not subscribed yet. Subscribe the number.',
  )

const registerOrWarn = (ctx: Ctx, id: string): Promise<string | null> =>
  orWarning(
    registerAccount(ctx, id, {}),
    'The number is not registered for sending yet. Register it.',
  )

/** Returns `null` if a step succeeded, otherwise a warning with the reason. */
async function orWarning(step: Promise<void>, advice: string): Promise<string | null> {
  try {
    await step
    return null
  } catch (error) {
    if (error instanceof AppError) return `${advice} ${error.message}`
    throw error
  }
}
