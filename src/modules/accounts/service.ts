import { and, count, desc, eq, isNull, ne, sql, type SQL } from 'drizzle-orm'

import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '../../lib/errors'
import { numberedPage, type Page } from '../../lib/page'
import { randomHex } from '../../lib/random'
import { acrossOrganizations, inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { emit } from '../../infra/outbox/events'
import { holdsText, searchKey } from '../../infra/search-keys'
import { differences, recordAudit } from '../audit/record'
import { BUSINESS_ACCOUNT_UNPROVEN, UNPROVEN_MESSAGE } from './business-proof'
import { installedApp } from './platform-calls'
import { AccountChanged } from './events'
import {
  inspectedColumns,
  inspectAccount,
  linkOf,
  statusAfterInspection,
  type Inspection,
  type AccountLink,
} from './inspect'
import type { AccountChanges, AccountView, NewAccount } from './model'
import { recordQualityIn } from './quality'
import { callPlatform, RETRY_AFTER_S } from './platform-errors'
import { NO_FLOW_KEY, NO_SECRETS, openSecret, sealSecrets, secretChanges } from './secrets'
import { accounts } from './table'
import { accountView, type AccountRow } from './view'

const alive = isNull(accounts.deletedAtMs)

/** Returns the live account. Throws NotFoundError. */
export function getAccount(ctx: Ctx, id: string): AccountRow {
  const row = ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, and(eq(accounts.id, id), alive)))
    .get()
  if (!row) throw new NotFoundError('Account')
  return row
}

/** Returns a page of live accounts, sorted by name. */
export function listAccounts(
  ctx: Ctx,
  query: {
    page: number
    limit: number
    search?: string | undefined
    status?: AccountRow['status'] | undefined
  },
): Page<AccountView> {
  const filter = inOrganization(
    ctx,
    accounts,
    alive,
    query.status === undefined ? undefined : eq(accounts.status, query.status),
    query.search === undefined ? undefined : matches(query.search),
  )
  const rows = ctx.db.orm
    .select()
    .from(accounts)
    .where(filter)
    .orderBy(accounts.name, accounts.id)
    .limit(query.limit)
    .offset((query.page - 1) * query.limit)
    .all()
  const total = ctx.db.orm.select({ rows: count() }).from(accounts).where(filter).get()?.rows ?? 0
  return numberedPage(rows.map(accountView), total, query)
}

/** Searches with fewer digits look only at the displayed number. */
const MIN_DIGITS = 3

/** Matches part of the name, or of the phone number in any format. */
function matches(search: string): SQL {
  const shown = sql`${holdsText(accounts.nameKey, search)} or instr(${accounts.displayPhoneNumber}, ${search.trim()}) > 0`
  const digits = /^[+\d\s().-]+$/.test(search) ? search.replace(/\D/g, '') : ''
  return digits.length < MIN_DIGITS
    ? sql`(${shown})`
    : sql`(${shown} or instr(${accounts.phoneNumber}, ${digits}) > 0)`
}

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
    const nowMs = ctx.clock.nowMs()
    const row = {
      ...NEW_ACCOUNT,
      name: input.name.trim(),
      nameKey: searchKey(input.name),
      phoneId,
      businessId,
      appId: input.app_id ?? null,
      apiVersion,
      isDefaultIncoming: input.is_default_incoming ?? false,
      isDefaultOutgoing: input.is_default_outgoing ?? !hasAnyIn(tx, ctx),
      autoReadReceipt: input.auto_read_receipt ?? false,
      ...sealSecrets(ctx, id, {
        ...input,
        webhook_verify_token: input.webhook_verify_token ?? randomHex(32),
      }),
      ...(found
        ? inspectedColumns(found, { appId: input.app_id ?? null, subscribedAtMs: null }, nowMs)
        : {}),
      status: found
        ? statusAfterInspection({ status: 'pending', businessLink: 'unproven' }, found)
        : ('pending' as const),
      createdBy: ctx.actor.userId,
      createdAtMs: former?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      deletedAtMs: null,
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
    const view = accountView(getAccount(ctx, id))
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
    return view
  })
}

/** Facts about a number before the platform was asked. */
const UNKNOWN_FACTS = {
  phoneNumber: null,
  displayPhoneNumber: null,
  verifiedName: null,
  qualityRating: 'UNKNOWN',
  messagingLimitTier: null,
  throughputLevel: 'STANDARD',
  isTestNumber: false,
} as const

/** Columns of a number whose business account is not confirmed. */
const UNPROVEN_BUSINESS = {
  businessLink: 'unproven',
  portfolioId: null,
  isSubscribed: false,
  subscribedAtMs: null,
} as const

/** Columns of a newly connected number. Reset what a former connection of the number left. */
const NEW_ACCOUNT = {
  ...UNKNOWN_FACTS,
  ...UNPROVEN_BUSINESS,
  ...NO_SECRETS,
  ...NO_FLOW_KEY,
  tokenExpiresAtMs: null,
  tokenExpiryWarnedForMs: null,
  statusReason: null,
  lastError: null,
  lastErrorAtMs: null,
  lastCheckedAtMs: null,
  pausedUntilMs: null,
  restrictedAtMs: null,
  restrictedUntilMs: null,
  sendingPausedAtMs: null,
  sendingPausedReason: null,
} as const

const hasAnyIn = (tx: Tx, ctx: Ctx): boolean =>
  tx
    .select({ id: accounts.id })
    .from(accounts)
    .where(inOrganization(ctx, accounts, alive))
    .limit(1)
    .get() !== undefined

/**
 * Returns the app to inspect a token with: the given one if its secret is known, otherwise the
 * installation's.
 */
function appOfInput(ctx: Ctx, appId: string | null, appSecret: string | null): AccountLink['app'] {
  return appId !== null && appSecret !== null ? { id: appId, secret: appSecret } : installedApp(ctx)
}

const UNREACHABLE = 'The platform could not be reached. Try again, or send "verify": false.'

/**
 * Asks the platform about a number before it is connected or changed. Throws InvalidError
 * (`platform_rejected`, and `business_account_unproven` if the token does not prove the business
 * account) and UnavailableError.
 */
async function requireInspection(ctx: Ctx, link: AccountLink): Promise<Inspection> {
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

function resolveAlias(value: string | undefined, alias: string | undefined, path: string): string {
  const chosen = value ?? alias
  if (chosen === undefined || (value !== undefined && alias !== undefined && value !== alias))
    throw new InvalidError(`\`${path}\` is required.`, {
      code: 'invalid_input',
      errors: [{ path: `body.${path}`, message: 'is required; send it only under one name' }],
    })
  return chosen
}

/** Returns the changes with aliases of the two IDs resolved. */
function resolveAliases({
  phone_number_id,
  waba_id,
  ...changes
}: AccountChanges): Omit<AccountChanges, 'phone_number_id' | 'waba_id'> {
  return {
    ...changes,
    ...(phone_number_id === undefined
      ? {}
      : { phone_id: resolveAlias(changes.phone_id, phone_number_id, 'phone_id') }),
    ...(waba_id === undefined
      ? {}
      : { business_id: resolveAlias(changes.business_id, waba_id, 'business_id') }),
  }
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

/** Requires that no other live account has the name or the number. Throws ConflictError. */
function requireUniqueIn(
  tx: Tx,
  ctx: Ctx,
  wanted: { name: string | null; phoneId: string | null; exceptId: string | null },
): void {
  const other = wanted.exceptId === null ? undefined : ne(accounts.id, wanted.exceptId)
  const taken = (condition: SQL | undefined): boolean =>
    tx
      .select({ id: accounts.id })
      .from(accounts)
      .where(
        acrossOrganizations(
          'a phone number can be connected once in the whole installation',
          and(alive, other, condition),
        ),
      )
      .limit(1)
      .get() !== undefined
  if (wanted.name !== null && taken(inOrganization(ctx, accounts, eq(accounts.name, wanted.name))))
    throw new ConflictError('Another account in this organization already has this `name`.', {
      code: 'name_taken',
    })
  // Unique in the whole installation, because webhooks are routed by this ID. The error does not
  // reveal which organization has it.
  if (wanted.phoneId !== null && taken(eq(accounts.phoneId, wanted.phoneId)))
    throw new ConflictError('This phone number is already connected.', { code: 'phone_id_in_use' })
}

/**
 * Removes the default flags of the other accounts if this one gets them. At most one account is the
 * default of each kind.
 */
function moveDefaultsIn(
  tx: Tx,
  ctx: Ctx,
  flags: { isDefaultIncoming: boolean; isDefaultOutgoing: boolean },
): void {
  if (flags.isDefaultIncoming)
    tx.update(accounts)
      .set({ isDefaultIncoming: false })
      .where(inOrganization(ctx, accounts, eq(accounts.isDefaultIncoming, true)))
      .run()
  if (flags.isDefaultOutgoing)
    tx.update(accounts)
      .set({ isDefaultOutgoing: false })
      .where(inOrganization(ctx, accounts, eq(accounts.isDefaultOutgoing, true)))
      .run()
}

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
  const touchesLink = [
    changes.access_token,
    changes.phone_id,
    changes.business_id,
    changes.api_version,
  ].some((value) => value !== undefined)
  const link: AccountLink = {
    ...linkOf(
      ctx,
      before,
      changes.access_token ?? openSecret(ctx, before, 'accessTokenSealed') ?? '',
    ),
    ...(changes.phone_id === undefined ? {} : { phoneId: changes.phone_id }),
    ...(changes.business_id === undefined ? {} : { businessId: changes.business_id }),
    ...(changes.api_version === undefined ? {} : { apiVersion: changes.api_version }),
  }
  const proven = touchesLink && changes.verify !== false ? await requireInspection(ctx, link) : null
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
    const after = getAccount(ctx, id)
    recordQualityIn(tx, ctx, row, after, nowMs)
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
    return accountView(after)
  })
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
})

/** Returns the columns that a new token, phone number ID or business account resets or sets. */
function linkChangeColumns(
  row: AccountRow,
  changes: AccountChanges,
  { found, nowMs }: { found: Inspection | null; nowMs: number },
) {
  const isOtherNumber = changes.phone_id !== undefined && changes.phone_id !== row.phoneId
  const isOtherBusiness =
    changes.business_id !== undefined && changes.business_id !== row.businessId
  const isOther = isOtherNumber || isOtherBusiness
  const fresh = {
    ...(isOtherNumber ? { ...UNKNOWN_FACTS, ...NO_FLOW_KEY, registrations: '[]' } : {}),
    ...(isOther ? UNPROVEN_BUSINESS : {}),
  }
  if (found) {
    const appId = changes.app_id === undefined ? row.appId : changes.app_id
    const known = { appId, subscribedAtMs: isOther ? null : row.subscribedAtMs }
    const status = statusAfterInspection(
      isOther ? { status: 'pending', businessLink: 'unproven' } : row,
      found,
    )
    return {
      ...fresh,
      ...inspectedColumns(found, known, nowMs),
      status,
      ...(status === 'active' ? NO_ERROR : {}),
    }
  }
  if (isOther) return { ...fresh, ...NO_ERROR, status: 'pending' as const }
  // An unchecked new token counts as valid until a message or the next health check fails.
  const isRetried = row.status === 'disconnected' && changes.access_token !== undefined
  return isRetried ? { ...NO_ERROR, status: 'active' as const } : {}
}

const NO_ERROR = { statusReason: null, lastError: null, lastErrorAtMs: null } as const
