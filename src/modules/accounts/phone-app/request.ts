import { and, isNotNull, isNull } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import { systemCtx, type Ctx, type Deps, type JobCtx } from '../../../infra/ctx'
import { inWorkingOrganizations } from '../../../infra/working-organizations'
import { transact, type Tx } from '../../../infra/db/transact'
import type { Outcome } from '../../../infra/jobs/work'
import { PlatformError } from '../../../platform/client/errors'
import { PHONE_APP_ANSWERS, type PhoneAppData } from '../../../platform/client/onboarding-calls'
import { notifyAboutAccountIn } from '../notify'
import { numberCallOf } from '../platform-calls'
import { findAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import { changePhoneAppIn, requestSoonIn } from './wait'

/** Time between attempts to request the data of a phone app. */
const ATTEMPT_INTERVAL_MS = 5 * MINUTE_MS

/** Maximum number of numbers that one round takes up. */
const MAX_AT_ONCE = 500

type PhoneAppState = NonNullable<AccountRow['phoneAppHistory']>

const COLUMNS = { contacts: 'phoneAppContacts', history: 'phoneAppHistory' } as const

/**
 * Enqueues a request for each number whose data in the phone app was not requested yet, inside the
 * caller's transaction. What is to do follows from the rows, so nothing is lost by a crash or a
 * move.
 */
export function requestDuePhoneAppDataIn(tx: Tx, deps: Deps): void {
  const round = Math.floor(deps.clock.nowMs() / ATTEMPT_INTERVAL_MS)
  for (const { id, organizationId } of waitingNumbers(deps))
    requestSoonIn(tx, systemCtx(deps, organizationId), id, `phoneApp:${id}:${round}`)
}

const waitingNumbers = (deps: Pick<Deps, 'db'>): { id: string; organizationId: string }[] =>
  deps.db.orm
    .select({ id: accounts.id, organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      inWorkingOrganizations(
        'data of the phone app is requested for the numbers of all organizations',
        accounts,
        and(
          isNull(accounts.deletedAtMs),
          isNull(accounts.movedAtMs),
          isNotNull(accounts.phoneAppUntilMs),
        ),
      ),
    )
    .limit(MAX_AT_ONCE)
    .all()

/**
 * Requests contacts and history of the phone app, once each. Waits for the webhooks of the number to
 * be subscribed, because the data comes by them and only once. After 24 hours the rest is missed.
 */
export async function requestPhoneAppData(ctx: JobCtx, accountId: string): Promise<Outcome> {
  const row = findAccount(ctx, accountId)
  if (!row || row.deletedAtMs !== null || row.phoneAppUntilMs === null)
    return { cancel: 'no data of the phone app is awaited' }
  const isOver = ctx.clock.nowMs() >= row.phoneAppUntilMs
  if (!isOver && !row.isSubscribed) return { cancel: 'the webhooks are not subscribed yet' }
  for (const data of ['contacts', 'history'] as const) {
    if (row[COLUMNS[data]] !== 'waiting') continue
    const state = isOver ? 'missed' : await request(ctx, row, data)
    if (state !== null) transact(ctx.db, (tx) => recordIn(tx, ctx, row, { data, state }))
  }
  return undefined
}

/** Returns the state after the request, or `null` if it is to be tried again. */
async function request(
  ctx: JobCtx,
  row: AccountRow,
  data: PhoneAppData,
): Promise<PhoneAppState | null> {
  try {
    await ctx.platform.requestPhoneAppData({ ...numberCallOf(ctx, row), data, signal: ctx.signal })
    return 'requested'
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    return PHONE_APP_ANSWERS.get(error.platformCode ?? 0) ?? null
  }
}

function recordIn(
  tx: Tx,
  ctx: Ctx,
  { id }: AccountRow,
  { data, state }: { data: PhoneAppData; state: PhoneAppState },
): void {
  const row = findAccount(ctx, id)
  if (!row || row.deletedAtMs !== null || row[COLUMNS[data]] !== 'waiting') return
  const after = { ...row, [COLUMNS[data]]: state }
  const isWaiting = after.phoneAppContacts === 'waiting' || after.phoneAppHistory === 'waiting'
  changePhoneAppIn(tx, ctx, id, {
    [COLUMNS[data]]: state,
    ...(isWaiting ? {} : { phoneAppUntilMs: null }),
  })
  if (state === 'missed') notifyMissedIn(tx, ctx, row, data)
  if (state === 'declined') notifyDeclinedIn(tx, ctx, row, data)
}

const WORDS = { contacts: 'contacts', history: 'earlier chats' } as const

function notifyMissedIn(tx: Tx, ctx: Ctx, row: AccountRow, data: PhoneAppData): void {
  notifyAboutAccountIn(tx, ctx, row, {
    kind: 'account_notice',
    severity: 'warning',
    title: `The ${WORDS[data]} of the phone were not copied`,
    body:
      'WhatsApp hands them over within 24 hours after a number was connected. New messages are not ' +
      'affected. To copy them, disconnect the number in the WhatsApp Business app and connect it ' +
      'again.',
  })
}

/** Notifies that the person did not share the data. */
export function notifyDeclinedIn(tx: Tx, ctx: Ctx, row: AccountRow, data: PhoneAppData): void {
  notifyAboutAccountIn(tx, ctx, row, {
    kind: 'account_notice',
    severity: 'info',
    title: `The ${WORDS[data]} of the phone were not shared`,
    body:
      'Sharing them was turned off in the WhatsApp Business app. New messages are not affected. To ' +
      'copy them, disconnect the number in the app and connect it again with sharing turned on.',
  })
}
