import { and, eq, isNull, lte, or } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { AccountChanged } from '../events'
import { findAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'

/** What a source says about the payment method of a business account. */
export interface FundingEvidence {
  state: AccountRow['fundingState']
  source: NonNullable<AccountRow['fundingSource']>
  atMs: number
}

/** The funding columns of a number whose payment method is not known. */
export const NO_FUNDING = {
  fundingState: 'unknown',
  fundingSource: null,
  fundingAtMs: null,
  fundingId: null,
  isFundingHidden: false,
  serviceRefusedMonth: null,
} as const

/** The same evidence is stored at most this often. */
const SAME_MS = MINUTE_MS

/** Whether evidence tells nothing that is not stored. */
const isKnown = (row: AccountRow, { state, source, atMs }: FundingEvidence): boolean =>
  row.fundingState === state &&
  row.fundingSource === source &&
  atMs - (row.fundingAtMs ?? 0) < SAME_MS

/**
 * Stores evidence about the payment method for all numbers of the business account that know
 * nothing newer, inside the caller's transaction. Publishes a change of state, after which held
 * messages and campaigns are looked at again. Returns the numbers whose state changed.
 */
export function recordFundingIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  evidence: FundingEvidence,
): AccountRow[] {
  const account = findAccount(ctx, accountId)
  if (!account || isKnown(account, evidence)) return []
  const { state, source, atMs } = evidence
  const isOlder = or(isNull(accounts.fundingAtMs), lte(accounts.fundingAtMs, atMs))
  const before = tx
    .select()
    .from(accounts)
    .where(
      inOrganization(
        ctx,
        accounts,
        and(eq(accounts.businessId, account.businessId), isNull(accounts.deletedAtMs), isOlder),
      ),
    )
    .all()
  const nowMs = ctx.clock.nowMs()
  for (const row of before) {
    const isChanged = row.fundingState !== state
    tx.update(accounts)
      .set({
        fundingState: state,
        fundingSource: source,
        fundingAtMs: atMs,
        ...(state === 'missing' ? {} : { serviceRefusedMonth: null }),
        ...(isChanged ? { updatedAtMs: nowMs } : {}),
      })
      .where(inOrganization(ctx, accounts, eq(accounts.id, row.id)))
      .run()
    if (isChanged) publishFundingIn(tx, ctx, row.id)
  }
  return before.filter(({ fundingState }) => fundingState !== state)
}

/** Publishes that the funding of a number changed, or what it holds back. */
export const publishFundingIn = (tx: Tx, ctx: Ctx, accountId: string): void =>
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId, changed: ['funding'], isConnected: false },
  })
