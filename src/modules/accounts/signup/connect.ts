import { and, eq, isNull } from 'drizzle-orm'

import { fieldSentence, AppError, InvalidError } from '../../../lib/errors'
import { isName } from '../../../lib/fields'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { throwProblems } from '../../../lib/input-problems'
import type { AppCredentials } from '../../../platform/client/administration'
import type { PhoneNumberFacts } from '../../../platform/client/client'
import { signupDialog } from '../../../platform/signup-dialog'
import { installedApp } from '../platform-calls'
import { registerAccount } from '../register'
import { callPlatform } from '../platform-errors'
import { createAccount } from '../create'
import { getAccount } from '../queries'
import { subscribeAccount } from '../subscribe'
import { accounts } from '../table'
import { accountView } from '../view'
import type { SignedUpView, SignupCode, SignupConfigView } from './model'
import { openSignupToken, sealSignupToken } from './token'

/** Returns the parameters of the signup dialog, all `null` if signup is not configured. */
export function signupConfig(ctx: Pick<Ctx, 'settings'>): SignupConfigView {
  const { appId, signupConfigId, platformApiVersion } = ctx.settings
  if (appId === null || signupConfigId === null)
    return { app_id: null, config_id: null, api_version: null, dialog_url: null }
  return {
    app_id: appId,
    config_id: signupConfigId,
    api_version: platformApiVersion,
    dialog_url: signupDialog({ appId, configId: signupConfigId, apiVersion: platformApiVersion }),
  }
}

/**
 * Connects the number that was chosen in the platform's signup dialog: exchanges the code for a
 * token, connects and subscribes the number, and registers it if necessary. Failures of the last
 * two steps become warnings. Throws InvalidError (`signup_not_configured`, `platform_rejected`,
 * `signup_token_invalid`, `choice_required` if the token is for several numbers) and the errors of
 * createAccount.
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
  const accessToken = await tokenOf(ctx, { app, apiVersion }, input)
  const found = await findNumbers(ctx, { apiVersion, accessToken, app }, input.business_id)
  const { businessId, phone } = chooseNumber(ctx, { found, accessToken }, input)
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

/** Returns the platform's token: of the code, or of an earlier answer about the same code. */
async function tokenOf(
  ctx: Ctx,
  { app, apiVersion }: { app: AppCredentials; apiVersion: string },
  { code, signup_token: token, redirect_uri: redirectUri }: SignupCode,
): Promise<string> {
  if ((code === undefined) === (token === undefined))
    throwProblems([
      { path: 'body.code', message: 'or signup_token is required, but only one of them' },
    ])
  if (token !== undefined) return openSignupToken(ctx, token)
  return await callPlatform(
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
}

interface FoundNumber {
  businessId: string
  phone: PhoneNumberFacts
}

/** Returns the numbers of a business account, or of all business accounts the token is for. */
async function findNumbers(
  ctx: Ctx,
  call: Parameters<Ctx['platform']['inspectToken']>[0],
  businessId: string | undefined,
): Promise<FoundNumber[]> {
  const businessIds =
    businessId === undefined
      ? (
          await callPlatform(ctx.platform.inspectToken(call), {
            rejected: 'The platform does not report which accounts the token of this code is for.',
          })
        ).businessIds
      : [businessId]
  const numbers: FoundNumber[] = []
  for (const id of businessIds.slice(0, MAX_BUSINESSES)) {
    const phones = await callPlatform(ctx.platform.listPhoneNumbers({ ...call, businessId: id }), {
      rejected: 'The token of this code cannot read the business account.',
    })
    numbers.push(...phones.map((phone) => ({ businessId: id, phone })))
  }
  return numbers
}

/**
 * Returns the number with the given ID, or the only one. Throws InvalidError `choice_required` with
 * all numbers, and with the token for the next request, because the code is used up.
 */
function chooseNumber(
  ctx: Ctx,
  { found, accessToken }: { found: FoundNumber[]; accessToken: string },
  { phone_id: phoneId }: SignupCode,
): FoundNumber {
  const matching = phoneId === undefined ? found : found.filter(({ phone }) => phone.id === phoneId)
  const [only] = matching
  if (only && matching.length === 1) return only
  const message =
    phoneId === undefined
      ? `is required because the token is for ${found.length} phone numbers`
      : 'is not a phone number that the token is for'
  throw new InvalidError(fieldSentence('phone_id', message), {
    code: 'choice_required',
    errors: [{ path: 'body.phone_id', message }],
    details: {
      signup_token: sealSignupToken(ctx, accessToken),
      numbers: found.map(({ businessId, phone }) => ({
        phone_id: phone.id,
        business_id: businessId,
        display_phone_number: phone.displayPhoneNumber,
        verified_name: phone.verifiedName,
      })),
    },
  })
}

/** A token of the signup dialog is for the one business account that the person chose, or a few. */
const MAX_BUSINESSES = 20

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
    subscribeAccount(ctx, id, { hasOwnCallback: ctx.settings.cells !== null }),
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
