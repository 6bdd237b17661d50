import { and, eq, isNull } from 'drizzle-orm'

import { isName } from '../../../../lib/fields'
import { hasPermission, inOrganization, type Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { PhoneNumberFacts } from '../../../../platform/client/client'
import { signupDialog, type SignupKind } from '../../../../platform/signup-dialog'
import { createAccount } from '../create'
import { waitForPhoneAppIn } from '../phone-app/wait'
import { accounts } from '../table'
import { updateAccount } from '../update'
import type { AccountRow } from '../view'
import { finishConnection } from './finish'
import { findNumber, grantOf, type FoundNumber, type Grant } from './find-number'
import type { SignedUpView, SignupCode, SignupConfigView } from './model'

/** Returns the parameters of the signup dialog, all `null` if signup is not configured. */
export function signupConfig(ctx: Pick<Ctx, 'settings'>): SignupConfigView {
  const { appId, signupConfigId, platformApiVersion, platformDialogUrl } = ctx.settings
  if (appId === null || signupConfigId === null)
    return {
      app_id: null,
      config_id: null,
      api_version: null,
      dialog_url: null,
      phone_app_dialog_url: null,
    }
  const dialogFor = (kind: SignupKind): string =>
    signupDialog({
      website: platformDialogUrl,
      appId,
      configId: signupConfigId,
      apiVersion: platformApiVersion,
      kind,
    })
  return {
    app_id: appId,
    config_id: signupConfigId,
    api_version: platformApiVersion,
    dialog_url: dialogFor('new'),
    phone_app_dialog_url: dialogFor('phone_app'),
  }
}

/** A connected number, and whether the request connected it: otherwise it got a new token. */
export interface SignedUp {
  isNew: boolean
  view: SignedUpView
}

/**
 * Connects the number that was chosen in the platform's signup dialog: exchanges the code for a
 * token, connects and subscribes the number, and registers it if necessary and possible. Failures of
 * the last two steps become warnings. A number of the organization that is connected already gets
 * the new token. Throws InvalidError (`signup_not_configured`, `platform_rejected`,
 * `signup_token_invalid`, `no_number`, `choice_required` if the token is for several numbers) and
 * the errors of createAccount.
 */
export async function connectByCode(ctx: Ctx, input: SignupCode): Promise<SignedUp> {
  const grant = await grantOf(ctx, input)
  const found = await findNumber(ctx, grant, input)
  const known = findConnected(ctx, found.phone.id)
  if (known === null || !hasPermission(ctx.actor, 'accounts:update'))
    return { isNew: true, view: await connectNumber(ctx, grant, found, input.name) }
  await renewToken(ctx, grant, { found, known })
  return { isNew: false, view: await finishConnection(ctx, known.id) }
}

/** Connects a number with the token of the dialog, and prepares it as far as possible. */
export async function connectNumber(
  ctx: Ctx,
  { accessToken, app }: Grant,
  { businessId, phone }: FoundNumber,
  name: string | undefined,
): Promise<SignedUpView> {
  const account = await createAccount(ctx, {
    name: name ?? freeName(ctx, phone),
    phone_id: phone.id,
    business_id: businessId,
    access_token: accessToken,
    app_id: app.id,
  })
  return finishConnection(ctx, account.id)
}

/** Returns the organization's connected number with this ID of the platform, or `null`. */
const findConnected = (ctx: Ctx, phoneId: string): AccountRow | null =>
  ctx.db.orm
    .select()
    .from(accounts)
    .where(
      inOrganization(
        ctx,
        accounts,
        and(eq(accounts.phoneId, phoneId), isNull(accounts.deletedAtMs)),
      ),
    )
    .get() ?? null

/**
 * Gives a connected number the token of another dialog. The secret of another app is dropped,
 * because the number now belongs to the installation's app. A number of the phone app may have been
 * connected again there, which allows its data to be requested again.
 */
async function renewToken(
  ctx: Ctx,
  { accessToken, app }: Grant,
  { found, known }: { found: FoundNumber; known: AccountRow },
): Promise<void> {
  await updateAccount(ctx, known.id, {
    access_token: accessToken,
    business_id: found.businessId,
    app_id: app.id,
    ...(known.appId === app.id ? {} : { app_secret: null }),
  })
  if (found.phone.isOnBizApp === true)
    transact(ctx.db, (tx) => waitForPhoneAppIn(tx, ctx, known.id))
}

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
