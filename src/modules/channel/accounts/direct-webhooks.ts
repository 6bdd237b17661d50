import { eq } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { enqueue } from '../../../infra/jobs/enqueue'
import { DirectWebhooks } from './jobs'
import { notifyAboutAccountIn } from './notify'
import { setOwnCallback } from './subscribe'
import { accounts } from './table'
import type { AccountRow } from './view'

/**
 * Directs the webhooks of a number to this cell soon, in the transaction that connects it. Without
 * it they come to the address of the app, which may be another cell. Does nothing on a server
 * without other cells.
 */
export function directWebhooksIn(tx: Tx, ctx: Ctx, accountId: string): void {
  if (ctx.settings.cells) enqueue(tx, ctx, DirectWebhooks, { args: { accountId } })
}

/** Sets the number's callback URL to this cell. Throws InvalidError and UnavailableError. */
export async function directWebhooks(ctx: Ctx, accountId: string): Promise<void> {
  const row = activeAccount(ctx, accountId)
  if (row) await setOwnCallback(ctx, row)
}

/** Notifies the members who may change the number that its webhooks take a detour. */
export function reportUndirectedIn(tx: Tx, ctx: Ctx, accountId: string): void {
  const row = activeAccount(ctx, accountId)
  if (row)
    notifyAboutAccountIn(tx, ctx, row, {
      kind: 'account_notice',
      severity: 'warning',
      title: 'Webhooks take a detour',
      body:
        'The platform did not accept the callback URL of this number, so its webhooks arrive at ' +
        'the address of the app and are passed on. Subscribe the number again.',
    })
}

function activeAccount(ctx: Ctx, id: string): AccountRow | null {
  const row = ctx.db.orm
    .select()
    .from(accounts)
    .where(inOrganization(ctx, accounts, eq(accounts.id, id)))
    .get()
  return row && row.deletedAtMs === null ? row : null
}
