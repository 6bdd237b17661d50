import { eq } from 'drizzle-orm'

import { HOUR_MS } from '../../../lib/clock'
import { ConflictError, RateLimitedError } from '../../../lib/errors'
import { randomText } from '../../../lib/random'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { emit } from '../../../infra/outbox/events'
import { PlatformError } from '../../../platform/client/errors'
import { NOT_VERIFIED_CODE } from '../../../platform/client/onboarding-calls'
import { HIDDEN, recordAudit, type FieldChange } from '../../organization/audit/record'
import { numberCallOf } from './platform-calls'
import { AccountChanged } from './events'
import { CheckAccount } from './jobs'
import type { NumberRegistration } from './connection/model'
import { callPlatform, platformErrorOf } from './platform-errors'
import { openSecret, sealSecrets } from './secrets'
import { getAccount } from './queries'
import { accounts } from './table'
import type { AccountRow } from './view'

/** The platform accepts 10 registrations of a number in 72 hours. */
const MAX_REGISTRATIONS = 10
const SPAN_MS = 72 * HOUR_MS

/** The platform's error code for more registrations. */
const TOO_MANY_CODE = 133_016

/**
 * Registers a number at the platform for sending. Uses the given PIN, otherwise the stored one,
 * otherwise a new one. Stores a new PIN before the call, so that a lost response does not lock the
 * number. Sets the region for stored content first, if one is given. Throws NotFoundError,
 * ConflictError `on_phone_app`, RateLimitedError after too many registrations, InvalidError
 * `platform_rejected` and UnavailableError.
 */
export async function registerAccount(
  ctx: Ctx,
  id: string,
  input: NumberRegistration,
): Promise<void> {
  const { pin: requestedPin, data_localization_region: region } = input
  refuseOnPhoneApp(getAccount(ctx, id))
  if (region !== undefined) await setRegion(ctx, getAccount(ctx, id), region)
  const { row, pin, atMs } = transact(ctx.db, (tx) =>
    prepareIn(tx, ctx, getAccount(ctx, id), requestedPin),
  )
  try {
    await ctx.platform.registerNumber({ ...numberCallOf(ctx, row), pin })
  } catch (error) {
    if (error instanceof PlatformError && error.outcome === 'unreachable')
      transact(ctx.db, (tx) => uncountIn(tx, ctx, id, atMs))
    if (error instanceof PlatformError && error.platformCode === NOT_VERIFIED_CODE)
      transact(ctx.db, (tx) =>
        changeIn(tx, ctx, id, { codeVerification: 'NOT_VERIFIED' }, 'code_verification_status'),
      )
    if (error instanceof PlatformError && error.platformCode === TOO_MANY_CODE)
      throw tooMany((error.retryAfterMs ?? HOUR_MS) / 1_000)
    throw platformErrorOf(error, {
      rejected: `The platform rejected the registration of this number${error instanceof PlatformError && error.platformCode !== null ? ` (code ${error.platformCode})` : ''}.`,
    })
  }
  transact(ctx.db, (tx) => {
    const registered = getAccount(ctx, id)
    const isNewPin = openSecret(ctx, registered, 'pinSealed') !== pin
    if (isNewPin) storePinIn(tx, ctx, id, pin)
    changeIn(tx, ctx, id, { isRegistered: true }, 'registered')
    const changes: FieldChange[] = isNewPin
      ? [{ field: 'pin', old_value: HIDDEN, new_value: HIDDEN }]
      : []
    recordAudit(tx, ctx, {
      action: 'registered',
      resourceType: 'account',
      resourceId: id,
      resourceName: registered.name,
      changes,
    })
    enqueue(tx, ctx, CheckAccount, { args: { accountId: id } })
  })
}

/** A registration would take the number away from the WhatsApp Business app. */
function refuseOnPhoneApp({ isOnPhoneApp }: AccountRow): void {
  if (isOnPhoneApp)
    throw new ConflictError(
      'This number is used in the WhatsApp Business app. It sends without a registration, which ' +
        'would disconnect it from the app.',
      { code: 'on_phone_app' },
    )
}

/** Sets the region, which the platform accepts only before the registration. */
async function setRegion(ctx: Ctx, row: AccountRow, region: string): Promise<void> {
  await callPlatform(ctx.platform.setStorageRegion({ ...numberCallOf(ctx, row), region }), {
    rejected: 'The platform rejected this region for the number.',
  })
}

/** Records the call and chooses its PIN. */
function prepareIn(
  tx: Tx,
  ctx: Ctx,
  row: AccountRow,
  requestedPin: string | undefined,
): { row: AccountRow; pin: string; atMs: number } {
  const nowMs = ctx.clock.nowMs()
  const recent = recentRegistrations(row, nowMs)
  const [oldestMs = nowMs] = recent
  if (recent.length >= MAX_REGISTRATIONS) throw tooMany((oldestMs + SPAN_MS - nowMs) / 1_000)
  storeRegistrationsIn(tx, ctx, row.id, [...recent, nowMs])
  const known = requestedPin ?? openSecret(ctx, row, 'pinSealed')
  const pin = known ?? randomText(6, '0123456789')
  if (known === null) storePinIn(tx, ctx, row.id, pin)
  return { row, pin, atMs: nowMs }
}

/** Returns the times of the registrations that the platform still counts, oldest first. */
const recentRegistrations = (row: AccountRow, nowMs: number): number[] =>
  (JSON.parse(row.registrations) as number[])
    .filter((atMs) => atMs > nowMs - SPAN_MS)
    .toSorted((a, b) => a - b)

function storeRegistrationsIn(tx: Tx, ctx: Ctx, id: string, registrations: number[]): void {
  tx.update(accounts)
    .set({ registrations: JSON.stringify(registrations) })
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .run()
}

/** Removes a call that never reached the platform, because the platform does not count it. */
function uncountIn(tx: Tx, ctx: Ctx, id: string, atMs: number): void {
  const counted = recentRegistrations(getAccount(ctx, id), ctx.clock.nowMs())
  counted.splice(counted.indexOf(atMs), 1)
  storeRegistrationsIn(tx, ctx, id, counted)
}

const storePinIn = (tx: Tx, ctx: Ctx, id: string, pin: string): void =>
  changeIn(tx, ctx, id, sealSecrets(ctx, id, { pin }), 'has_pin')

/** Stores columns of a number, and publishes that the field of the API changed. */
function changeIn(tx: Tx, ctx: Ctx, id: string, columns: Partial<AccountRow>, field: string): void {
  tx.update(accounts)
    .set({ ...columns, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .run()
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId: id, changed: [field], isConnected: false },
  })
}

const tooMany = (retryAfterS: number): RateLimitedError =>
  new RateLimitedError(
    'The platform allows ten registrations per number in 72 hours. Try again later.',
    retryAfterS,
    {
      code: 'too_many_registrations',
    },
  )
