import { and, count, eq, isNull, like, ne, sql, type SQL } from 'drizzle-orm'

import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '../../lib/errors'
import { likeText, numberedPage, type Page } from '../../lib/page'
import { parsePhone } from '../../lib/phone'
import { randomHex } from '../../lib/random'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db'
import { emit } from '../../infra/outbox/events'
import { PlatformError } from '../../platform/errors'
import type { PhoneNumberFacts } from '../../platform/client'
import { differences, HIDDEN, recordAudit, type FieldChange } from '../audit/service'
import { AccountChanged } from './events'
import type { AccountChanges, AccountView, NewAccount } from './model'
import { openSecret, sealSecret, verifyTokenHash } from './secrets'
import { accounts } from './table'
import { accountView, type AccountRow } from './view'

const alive = isNull(accounts.deletedAtMs)

/** The live account with this id. Throws NotFoundError. */
export function getAccount(ctx: Ctx, id: string): AccountRow {
  const row = ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, and(eq(accounts.id, id), alive)))
    .get()
  if (!row) throw new NotFoundError('Account')
  return row
}

/** Live accounts by name, a page at a time. */
export function listAccounts(
  ctx: Ctx,
  query: { page: number; limit: number; search?: string | undefined; status?: AccountRow['status'] | undefined },
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

const matches = (search: string): SQL =>
  sql`(${like(accounts.name, likeText(search))} escape '\\' or ${like(accounts.displayPhoneNumber, likeText(search))} escape '\\')`

/**
 * Connects a phone number. Unless `verify` is false the platform is asked first whether the token can read the number. Throws
 * InvalidError (`platform_rejected`), ConflictError (`name_taken`, `phone_id_in_use`) or UnavailableError (`platform_unreachable`).
 */
export async function createAccount(ctx: Ctx, input: NewAccount): Promise<AccountView> {
  const phoneId = oneNameOf(input.phone_id, input.phone_number_id, 'phone_id')
  const businessId = oneNameOf(input.business_id, input.waba_id, 'business_id')
  const apiVersion = input.api_version ?? ctx.settings.platformApiVersion
  const facts = input.verify === false ? null : await askPlatform(ctx, { phoneId, apiVersion, accessToken: input.access_token })
  return transact(ctx.db, (tx) => {
    refuseTaken(tx, ctx, { name: input.name.trim(), phoneId, exceptId: null })
    const former = findFormerIn(tx, ctx, phoneId)
    const id = former?.id ?? ctx.ids.next()
    const nowMs = ctx.clock.nowMs()
    const isFirst =
      tx
        .select({ id: accounts.id })
        .from(accounts)
        .where(inOrganization(ctx, accounts, alive))
        .limit(1)
        .get() === undefined
    const row = {
      name: input.name.trim(),
      phoneId,
      businessId,
      appId: input.app_id ?? null,
      apiVersion,
      status: facts ? ('active' as const) : ('pending' as const),
      statusReason: null,
      isDefaultIncoming: input.is_default_incoming ?? false,
      isDefaultOutgoing: input.is_default_outgoing ?? isFirst,
      autoReadReceipt: input.auto_read_receipt ?? false,
      ...sealAll(ctx, id, { ...input, webhook_verify_token: input.webhook_verify_token ?? randomHex(32) }),
      ...columnsOf(facts, nowMs),
      lastError: null,
      lastErrorAtMs: null,
      createdBy: ctx.actor.userId,
      createdAtMs: former?.createdAtMs ?? nowMs,
      updatedAtMs: nowMs,
      deletedAtMs: null,
    }
    moveDefaults(tx, ctx, row)
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
    emit(tx, ctx, AccountChanged, { contactId: null, payload: { accountId: id, changed: ['id'], isConnected: true } })
    return view
  })
}

function oneNameOf(value: string | undefined, alias: string | undefined, path: string): string {
  const chosen = value ?? alias
  if (chosen === undefined || (value !== undefined && alias !== undefined && value !== alias))
    throw new InvalidError(`body.${path}: is required.`, {
      code: 'invalid_input',
      errors: [{ path: `body.${path}`, message: 'is required, under one name' }],
    })
  return chosen
}

/** The changes with both ids under their first names. */
function underFirstNames({ phone_number_id, waba_id, ...changes }: AccountChanges): Omit<AccountChanges, 'phone_number_id' | 'waba_id'> {
  return {
    ...changes,
    ...(phone_number_id === undefined ? {} : { phone_id: oneNameOf(changes.phone_id, phone_number_id, 'phone_id') }),
    ...(waba_id === undefined ? {} : { business_id: oneNameOf(changes.business_id, waba_id, 'business_id') }),
  }
}

/** A deleted account of the same number in this organization: connecting the number again restores the link to its history. */
const findFormerIn = (tx: Tx, ctx: Ctx, phoneId: string): AccountRow | undefined =>
  tx
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.phoneId, phoneId)))
    .get()

function refuseTaken(tx: Tx, ctx: Ctx, wanted: { name: string | null; phoneId: string | null; exceptId: string | null }): void {
  const other = wanted.exceptId === null ? undefined : ne(accounts.id, wanted.exceptId)
  const taken = (condition: SQL | undefined): boolean =>
    tx
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(alive, other, condition))
      .limit(1)
      .get() !== undefined
  if (wanted.name !== null && taken(inOrganization(ctx, accounts, eq(accounts.name, wanted.name))))
    throw new ConflictError('Another account of this organization has that name.', { code: 'name_taken' })
  // Of the whole installation: webhooks are routed by this id. The answer does not say who holds it.
  if (wanted.phoneId !== null && taken(eq(accounts.phoneId, wanted.phoneId)))
    throw new ConflictError('This phone number is already connected.', { code: 'phone_id_in_use' })
}

/** At most one account is the default of a kind: the flag moves from the former holder. */
function moveDefaults(tx: Tx, ctx: Ctx, flags: { isDefaultIncoming: boolean; isDefaultOutgoing: boolean }): void {
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

type SecretInput = Pick<AccountChanges, 'access_token' | 'app_secret' | 'webhook_verify_token' | 'pin'>

/** The columns of the secrets that were sent; what was not sent is left out and stays. */
function sealAll(ctx: Ctx, id: string, input: SecretInput) {
  return {
    ...(input.access_token === undefined ? {} : { accessTokenSealed: sealSecret(ctx, id, 'accessTokenSealed', input.access_token) }),
    ...(input.app_secret === undefined ? {} : { appSecretSealed: sealSecret(ctx, id, 'appSecretSealed', input.app_secret) }),
    ...(input.pin === undefined ? {} : { pinSealed: sealSecret(ctx, id, 'pinSealed', input.pin) }),
    ...(input.webhook_verify_token === undefined
      ? {}
      : {
          verifyTokenSealed: sealSecret(ctx, id, 'verifyTokenSealed', input.webhook_verify_token),
          verifyTokenHash: input.webhook_verify_token === null ? null : verifyTokenHash(input.webhook_verify_token),
        }),
  }
}

async function askPlatform(ctx: Ctx, call: { phoneId: string; apiVersion: string; accessToken: string }): Promise<PhoneNumberFacts> {
  try {
    return await ctx.platform.getPhoneNumber(call)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    if (error.outcome !== 'refused' || error.retryClass === 'quota' || error.retryClass === 'throughput')
      throw new UnavailableError('The platform could not be reached. Try again, or send "verify": false.', 30, {
        code: 'platform_unreachable',
      })
    throw new InvalidError('The platform says that this token cannot read this phone_id.', {
      code: 'platform_rejected',
      details: { platform_code: error.platformCode, platform_message: error.platformMessage },
    })
  }
}

function columnsOf(facts: PhoneNumberFacts | null, nowMs: number) {
  if (!facts) return {}
  return {
    displayPhoneNumber: facts.displayPhoneNumber,
    phoneNumber: facts.displayPhoneNumber === null ? null : parsePhone(facts.displayPhoneNumber),
    verifiedName: facts.verifiedName,
    qualityRating: facts.qualityRating ?? 'UNKNOWN',
    messagingLimitTier: facts.messagingLimitTier,
    throughputLevel: facts.isOnBizApp === true ? 'COEXISTENCE' : facts.throughputLevel === 'HIGH' ? 'HIGH' : 'STANDARD',
    lastCheckedAtMs: nowMs,
  }
}

/**
 * Changes the fields sent. A new token, phone id or version is proven at the platform first unless `verify` is false, and makes
 * a disconnected account active again. Throws NotFoundError and what createAccount throws.
 */
export async function updateAccount(ctx: Ctx, id: string, input: AccountChanges): Promise<AccountView> {
  const before = getAccount(ctx, id)
  const changes = underFirstNames(input)
  const touchesLink = changes.access_token !== undefined || changes.phone_id !== undefined || changes.api_version !== undefined
  const token = changes.access_token ?? openSecret(ctx, before, 'accessTokenSealed')
  const call = {
    phoneId: changes.phone_id ?? before.phoneId,
    apiVersion: changes.api_version ?? before.apiVersion,
    accessToken: token ?? '',
  }
  const facts = touchesLink && changes.verify !== false ? await askPlatform(ctx, call) : null
  return transact(ctx.db, (tx) => {
    const row = getAccount(ctx, id)
    refuseTaken(tx, ctx, { name: changes.name?.trim() ?? null, phoneId: changes.phone_id ?? null, exceptId: id })
    const nowMs = ctx.clock.nowMs()
    const set = {
      ...(changes.name === undefined ? {} : { name: changes.name.trim() }),
      ...(changes.phone_id === undefined ? {} : { phoneId: changes.phone_id }),
      ...(changes.business_id === undefined ? {} : { businessId: changes.business_id }),
      ...(changes.app_id === undefined ? {} : { appId: changes.app_id }),
      ...(changes.api_version === undefined ? {} : { apiVersion: changes.api_version }),
      ...(changes.is_default_incoming === undefined ? {} : { isDefaultIncoming: changes.is_default_incoming }),
      ...(changes.is_default_outgoing === undefined ? {} : { isDefaultOutgoing: changes.is_default_outgoing }),
      ...(changes.auto_read_receipt === undefined ? {} : { autoReadReceipt: changes.auto_read_receipt }),
      ...sealAll(ctx, id, changes),
      ...columnsOf(facts, nowMs),
      ...(facts ? { status: 'active' as const, statusReason: null, lastError: null, lastErrorAtMs: null } : {}),
    }
    moveDefaults(tx, ctx, {
      isDefaultIncoming: changes.is_default_incoming === true,
      isDefaultOutgoing: changes.is_default_outgoing === true,
    })
    tx.update(accounts)
      .set({ ...set, updatedAtMs: nowMs })
      .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
      .run()
    const after = getAccount(ctx, id)
    const fields = [...differences(accountView(row), accountView(after)), ...secretChanges(row, after)]
    const changed = fields.map(({ field }) => field)
    recordAudit(tx, ctx, { action: 'updated', resourceType: 'account', resourceId: id, resourceName: after.name, changes: fields })
    emit(tx, ctx, AccountChanged, { contactId: null, payload: { accountId: id, changed, isConnected: changes.phone_id !== undefined } })
    return accountView(after)
  })
}

/** Which secrets were replaced; their values are told to nobody. */
const secretChanges = (before: AccountRow, after: AccountRow): FieldChange[] =>
  SECRET_FIELDS.filter(([column]) => before[column] !== after[column]).map(([, field]) => ({ field, old_value: HIDDEN, new_value: HIDDEN }))

const SECRET_FIELDS = [
  ['accessTokenSealed', 'access_token'],
  ['appSecretSealed', 'app_secret'],
  ['verifyTokenSealed', 'webhook_verify_token'],
  ['pinSealed', 'pin'],
] as const

/** Disconnects a number: it no longer routes or sends, its secrets are wiped, its history stays. Throws NotFoundError. */
export function deleteAccount(ctx: Ctx, id: string): void {
  transact(ctx.db, (tx) => {
    const { name } = getAccount(ctx, id)
    const nowMs = ctx.clock.nowMs()
    tx.update(accounts)
      .set({
        deletedAtMs: nowMs,
        updatedAtMs: nowMs,
        isDefaultIncoming: false,
        isDefaultOutgoing: false,
        accessTokenSealed: null,
        appSecretSealed: null,
        verifyTokenSealed: null,
        verifyTokenHash: null,
        pinSealed: null,
      })
      .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
      .run()
    recordAudit(tx, ctx, { action: 'deleted', resourceType: 'account', resourceId: id, resourceName: name })
    emit(tx, ctx, AccountChanged, { contactId: null, payload: { accountId: id, changed: ['deleted'], isConnected: false } })
  })
}
