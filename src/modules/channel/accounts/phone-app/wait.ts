import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import type { Tx } from '../../../../infra/db/transact'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { emit } from '../../../../infra/outbox/events'
import { AccountChanged } from '../events'
import { RequestPhoneAppData } from '../jobs'
import { findAccount } from '../queries'
import { accounts } from '../table'
import type { AccountRow } from '../view'
import { waitingForPhoneApp } from './columns'

/**
 * Has the data of the phone app requested once the webhooks of a number are subscribed, inside the
 * caller's transaction.
 */
export function waitForPhoneAppIn(tx: Tx, ctx: Ctx, accountId: string): void {
  changePhoneAppIn(tx, ctx, accountId, waitingForPhoneApp(ctx.clock.nowMs()))
  if (findAccount(ctx, accountId)?.isSubscribed === true) requestSoonIn(tx, ctx, accountId)
}

/**
 * Enqueues a request for the data of the phone app, inside the caller's transaction. Requests for one
 * number run one after the other, so that the data is requested once. One with a key that is known
 * is ignored.
 */
export const requestSoonIn = (tx: Tx, ctx: Ctx, accountId: string, uniqueKey?: string): string =>
  enqueue(tx, ctx, RequestPhoneAppData, {
    args: { accountId },
    orderingKey: `phoneApp:${accountId}`,
    ...(uniqueKey === undefined ? {} : { uniqueKey }),
  })

/** The columns about the data of the phone app. */
export type PhoneAppColumns = Pick<
  AccountRow,
  'phoneAppUntilMs' | 'phoneAppContacts' | 'phoneAppHistory' | 'phoneAppProgress'
>

/** Stores how it stands with the data of the phone app, and publishes it. */
export function changePhoneAppIn(
  tx: Tx,
  ctx: Ctx,
  accountId: string,
  columns: Partial<PhoneAppColumns>,
): void {
  tx.update(accounts)
    .set({ ...columns, updatedAtMs: ctx.clock.nowMs() })
    .where(inOrganization(ctx, accounts, eq(accounts.id, accountId)))
    .run()
  emit(tx, ctx, AccountChanged, {
    contactId: null,
    payload: { accountId, changed: ['phone_app_sync'], isConnected: false },
  })
}
