import { desc, eq, isNull } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { searchKey } from '../../../infra/search-keys'
import { randomHex } from '../../../lib/random'
import { differences, recordAudit } from '../../organization/audit/record'
import { resolveAlias } from './aliases'
import { directWebhooksIn } from './direct-webhooks'
import { AccountChanged } from './events'
import { recordInspectedFundingIn } from './funding/record'
import {
  inspectedColumns,
  statusAfterInspection,
  type AccountLink,
  type Inspection,
} from './inspect'
import { NEW_ACCOUNT } from './link-columns'
import { waitForPhoneAppIn } from './phone-app/wait'
import { getAccount } from './queries'
import type { AccountView, NewAccount } from './model'
import { installedApp } from './platform-calls'
import { requireInspection } from './require-inspection'
import { notifyRolesIn } from './routing/notify-roles'
import { sealSecrets } from './secrets'
import { accounts } from './table'
import { moveDefaultsIn, requireUniqueIn } from './uniqueness'
import { accountView, type AccountRow } from './view'

/**
 * Connects a phone number. Unless `verify` is false, first asks the platform whether the token can
 * read the number. Throws InvalidError (`platform_rejected`), ConflictError (`name_taken`,
 * `phone_id_in_use`) or UnavailableError (`platform_unreachable`).
 */
export async function createAccount(ctx: Ctx, input: NewAccount): Promise<AccountView> {
  const phoneId = resolveAlias(input.phone_id, input.phone_number_id, 'phone_id')
  const businessId = resolveAlias(input.business_id, input.waba_id, 'business_id')
  const apiVersion = input.api_version ?? ctx.settings.platformApiVersion
  const app = appOfInput(ctx, input.app_id ?? null, input.app_secret ?? null)
  const link = { phoneId, businessId, apiVersion, accessToken: input.access_token, app }
  const found = input.verify === false ? null : await requireInspection(ctx, link)
  return transact(ctx.db, (tx) => {
    requireUniqueIn(tx, ctx, { name: input.name.trim(), phoneId, exceptId: null })
    const former = findFormerIn(tx, ctx, phoneId)
    const id = former?.id ?? ctx.ids.next()
    const row = {
      ...NEW_ACCOUNT,
      ...columnsOf(ctx, input),
      ...inspectedOrPending(ctx, input, found),
      phoneId,
      businessId,
      apiVersion,
      isDefaultOutgoing: input.is_default_outgoing ?? !hasAnyIn(tx, ctx),
      ...sealSecrets(ctx, id, {
        ...input,
        webhook_verify_token: input.webhook_verify_token ?? randomHex(32),
      }),
      createdAtMs: former?.createdAtMs ?? ctx.clock.nowMs(),
    }
    moveDefaultsIn(tx, ctx, row)
    if (former)
      tx.update(accounts)
        .set(row)
        .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
        .run()
    else
      tx.insert(accounts)
        .values({ organizationId: ctx.organizationId, id, ...row })
        .run()
    if (found) recordInspectedFundingIn(tx, ctx, getAccount(ctx, id), found)
    const created = getAccount(ctx, id)
    const view = accountView(created)
    notifyRolesIn(tx, ctx, null, created)
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'account',
      resourceId: id,
      resourceName: view.name,
      changes: differences({}, view),
    })
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: id, changed: ['id'], isConnected: true },
    })
    directWebhooksIn(tx, ctx, id)
    if (row.isOnPhoneApp) waitForPhoneAppIn(tx, ctx, id)
    return view
  })
}

const columnsOf = (ctx: Ctx, input: NewAccount) => ({
  name: input.name.trim(),
  nameKey: searchKey(input.name),
  appId: input.app_id ?? null,
  messagingAccountId: input.messaging_account_id ?? null,
  isDefaultIncoming: input.is_default_incoming ?? false,
  autoReadReceipt: input.auto_read_receipt ?? false,
  marketingPolicy: input.marketing_path?.policy ?? 'fallback',
  createdBy: ctx.actor.userId,
  updatedAtMs: ctx.clock.nowMs(),
  deletedAtMs: null,
})

function inspectedOrPending(ctx: Ctx, input: NewAccount, found: Inspection | null) {
  if (!found) return { status: 'pending' as const }
  const known = { appId: input.app_id ?? null, subscribedAtMs: null, fundingId: null }
  return {
    ...inspectedColumns(found, known, ctx.clock.nowMs()),
    status: statusAfterInspection({ status: 'pending', businessLink: 'unproven' }, found),
  }
}

const hasAnyIn = (tx: Tx, ctx: Ctx): boolean =>
  tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(ctx, accounts, isNull(accounts.deletedAtMs)))
    .limit(1)
    .get() !== undefined

/**
 * Returns the app to inspect a token with: the given one if its secret is known, otherwise the
 * installation's.
 */
function appOfInput(ctx: Ctx, appId: string | null, appSecret: string | null): AccountLink['app'] {
  return appId !== null && appSecret !== null ? { id: appId, secret: appSecret } : installedApp(ctx)
}

/**
 * Returns the last deleted account of the same number in this organization. Connecting the number
 * again reuses its row, so that its history belongs to it again.
 */
const findFormerIn = (tx: Tx, ctx: Ctx, phoneId: string): AccountRow | undefined =>
  tx
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.phoneId, phoneId)))
    .orderBy(desc(accounts.deletedAtMs))
    .limit(1)
    .get()
