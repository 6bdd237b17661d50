import { and, isNotNull, isNull } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { systemCtx, type Ctx, type Deps, type JobCtx } from '../../../../infra/ctx'
import { inWorkingOrganizations } from '../../../../infra/working-organizations'
import { transact, type Tx } from '../../../../infra/db/transact'
import type { Outcome } from '../../../../infra/jobs/work'
import { PlatformError } from '../../../../platform/client/errors'
import { PHONE_APP_ANSWERS, type PhoneAppData } from '../../../../platform/client/onboarding-calls'
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

const KINDS = ['contacts', 'history'] as const
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
  const row = findAwaited(ctx, accountId)
  if (!row) return { cancel: 'no data of the phone app is awaited' }
  if (ctx.clock.nowMs() >= row.untilMs) {
    transact(ctx.db, (tx) => recordIn(tx, ctx, accountId, { of: KINDS, state: 'missed' }))
    return undefined
  }
  if (!row.account.isSubscribed) return { cancel: 'the webhooks are not subscribed yet' }
  for (const data of KINDS) {
    if (row.account[COLUMNS[data]] !== 'waiting') continue
    const state = await request(ctx, row.account, data)
    if (state !== null)
      transact(ctx.db, (tx) => recordIn(tx, ctx, accountId, { of: [data], state }))
  }
  return undefined
}

/** Returns a number whose data is to be requested, and until when; `null` if there is nothing to do. */
function findAwaited(ctx: Ctx, accountId: string): { account: AccountRow; untilMs: number } | null {
  const account = findAccount(ctx, accountId)
  if (account?.deletedAtMs !== null || account.movedAtMs !== null) return null
  return account.phoneAppUntilMs === null ? null : { account, untilMs: account.phoneAppUntilMs }
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

/** Stores the state of kinds of data that still wait, and notifies once if they do not come. */
function recordIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  { of, state }: { of: readonly PhoneAppData[]; state: PhoneAppState },
): void {
  const row = findAwaited(ctx, accountId)?.account
  const kinds = of.filter((data) => row?.[COLUMNS[data]] === 'waiting')
  if (!row || kinds.length === 0) return
  const columns = Object.fromEntries(kinds.map((data) => [COLUMNS[data], state]))
  const after = { ...row, ...columns }
  const isWaiting = after.phoneAppContacts === 'waiting' || after.phoneAppHistory === 'waiting'
  changePhoneAppIn(tx, ctx, accountId, {
    ...columns,
    ...(isWaiting ? {} : { phoneAppUntilMs: null }),
  })
  if (state === 'missed' || state === 'declined') notifyLostIn(tx, ctx, row, { of: kinds, state })
}

const WORDS = { contacts: 'contacts', history: 'earlier chats' } as const
const REASONS = {
  missed: {
    title: 'not copied',
    body:
      'WhatsApp hands them over within 24 hours after a number was connected. New messages are not ' +
      'affected. To copy them, disconnect the number in the WhatsApp Business app and connect it ' +
      'again.',
  },
  declined: {
    title: 'not shared',
    body:
      'Sharing them is turned off in the WhatsApp Business app. New messages are not affected. To ' +
      'copy them, disconnect the number in the app and connect it again with sharing turned on.',
  },
} as const

/** Notifies that data of the phone app does not come. */
export function notifyLostIn(
  tx: Tx,
  ctx: Ctx,
  row: AccountRow,
  { of, state }: { of: readonly PhoneAppData[]; state: keyof typeof REASONS },
): void {
  const { title, body } = REASONS[state]
  notifyAboutAccountIn(tx, ctx, row, {
    kind: 'account_notice',
    severity: state === 'missed' ? 'warning' : 'info',
    title: `The ${of.map((data) => WORDS[data]).join(' and ')} of the phone were ${title}`,
    body,
  })
}
