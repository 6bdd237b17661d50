import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { searchKey } from '../../../infra/search-keys'
import { differences, recordAudit } from '../../organization/audit/record'
import { resolveAliases } from './aliases'
import { directWebhooksIn } from './direct-webhooks'
import { AccountChanged } from './events'
import { recordInspectedFundingIn } from './funding/record'
import { linkOf, type AccountLink } from './inspect'
import { linkChangeColumns } from './link-columns'
import { getAccount } from './queries'
import type { AccountChanges, AccountView } from './model'
import { recordQualityIn } from './quality'
import { notifyRolesIn } from './routing/notify-roles'
import { requireInspection } from './require-inspection'
import { openSecret, sealSecrets, secretChanges } from './secrets'
import { accounts } from './table'
import { moveDefaultsIn, requireUniqueIn } from './uniqueness'
import { accountView, type AccountRow } from './view'

/**
 * Updates the given fields. Unless `verify` is false, a new token, phone number ID, business
 * account or API version is first checked at the platform. A new token makes a disconnected account
 * active again. Throws NotFoundError and the errors of createAccount.
 */
export async function updateAccount(
  ctx: Ctx,
  id: string,
  input: AccountChanges,
): Promise<AccountView> {
  const before = getAccount(ctx, id)
  const changes = resolveAliases(input)
  const link = changedLink(ctx, before, changes)
  const isChecked = touchesLink(changes) && changes.verify !== false
  const proven = isChecked ? await requireInspection(ctx, link) : null
  return transact(ctx.db, (tx) => {
    const row = getAccount(ctx, id)
    requireUniqueIn(tx, ctx, {
      name: changes.name?.trim() ?? null,
      phoneId: changes.phone_id ?? null,
      exceptId: id,
    })
    const nowMs = ctx.clock.nowMs()
    // If the IDs were changed during the check, it did not confirm this pair.
    const found = isSameNumber(link, { ...row, ...fieldsOf(changes) }) ? proven : null
    moveDefaultsIn(tx, ctx, {
      isDefaultIncoming: changes.is_default_incoming === true,
      isDefaultOutgoing: changes.is_default_outgoing === true,
    })
    tx.update(accounts)
      .set({
        ...fieldsOf(changes),
        ...sealSecrets(ctx, id, changes),
        ...linkChangeColumns(row, changes, { found, nowMs }),
        updatedAtMs: nowMs,
      })
      .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
      .run()
    if (found)
      recordInspectedFundingIn(tx, ctx, { ...getAccount(ctx, id), fundingId: row.fundingId }, found)
    const after = getAccount(ctx, id)
    recordQualityIn(tx, ctx, row, after, nowMs)
    notifyRolesIn(tx, ctx, row, after)
    const fields = [
      ...differences(accountView(row), accountView(after)),
      ...secretChanges(row, after),
    ]
    const changed = fields.map(({ field }) => field)
    recordAudit(tx, ctx, {
      action: 'updated',
      resourceType: 'account',
      resourceId: id,
      resourceName: after.name,
      changes: fields,
    })
    const isConnected =
      changes.phone_id !== undefined ||
      (after.businessLink === 'proven' && row.businessLink !== 'proven')
    emit(tx, ctx, AccountChanged, {
      contactId: null,
      payload: { accountId: id, changed, isConnected },
    })
    if (changes.phone_id !== undefined) directWebhooksIn(tx, ctx, id)
    return accountView(after)
  })
}

const touchesLink = (changes: AccountChanges): boolean =>
  [changes.access_token, changes.phone_id, changes.business_id, changes.api_version].some(
    (value) => value !== undefined,
  )

/** Whether another token may learn more, or there is another business account to ask about. */
const touchesBusiness = (changes: AccountChanges): boolean =>
  changes.access_token !== undefined || changes.business_id !== undefined

function changedLink(ctx: Ctx, before: AccountRow, changes: AccountChanges): AccountLink {
  const token = changes.access_token ?? openSecret(ctx, before, 'accessTokenSealed') ?? ''
  return {
    ...linkOf(ctx, before, token),
    ...(touchesBusiness(changes) ? { isFundingHidden: false } : {}),
    ...(changes.phone_id === undefined ? {} : { phoneId: changes.phone_id }),
    ...(changes.business_id === undefined ? {} : { businessId: changes.business_id }),
    ...(changes.api_version === undefined ? {} : { apiVersion: changes.api_version }),
  }
}

const isSameNumber = (
  link: AccountLink,
  row: Pick<AccountRow, 'phoneId' | 'businessId'>,
): boolean => link.phoneId === row.phoneId && link.businessId === row.businessId

const fieldsOf = (changes: AccountChanges) => ({
  ...(changes.name === undefined
    ? {}
    : { name: changes.name.trim(), nameKey: searchKey(changes.name) }),
  ...(changes.phone_id === undefined ? {} : { phoneId: changes.phone_id }),
  ...(changes.business_id === undefined ? {} : { businessId: changes.business_id }),
  ...(changes.app_id === undefined ? {} : { appId: changes.app_id }),
  ...(changes.messaging_account_id === undefined
    ? {}
    : { messagingAccountId: changes.messaging_account_id }),
  ...(changes.api_version === undefined ? {} : { apiVersion: changes.api_version }),
  ...(changes.is_default_incoming === undefined
    ? {}
    : { isDefaultIncoming: changes.is_default_incoming }),
  ...(changes.is_default_outgoing === undefined
    ? {}
    : { isDefaultOutgoing: changes.is_default_outgoing }),
  ...(changes.auto_read_receipt === undefined
    ? {}
    : { autoReadReceipt: changes.auto_read_receipt }),
  ...(changes.marketing_path === undefined
    ? {}
    : { marketingPolicy: changes.marketing_path.policy }),
})
