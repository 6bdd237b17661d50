import { and, eq, isNull } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Deps } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { AccountChanged } from '../events'
import { verifyTokenHash } from '../secrets'
import { accounts } from '../table'

/** Accounts that may share a verify token and are told of its use. */
const MOST = 50

/** Tells whoever waits for it that WhatsApp has checked the callback of accounts with this token. */
export function tellCallbackChecked(deps: Deps, token: string): void {
  const checked = deps.db.orm
    .select({ id: accounts.id, organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      acrossOrganizations(
        'the verify token tells whose callback is checked',
        and(eq(accounts.verifyTokenHash, verifyTokenHash(token)), isNull(accounts.deletedAtMs)),
      ),
    )
    .limit(MOST)
    .all()
  if (checked.length === 0) return
  transact(deps.db, (tx) => {
    for (const { id, organizationId } of checked)
      emit(tx, systemCtx(deps, organizationId), AccountChanged, {
        contactId: null,
        payload: { accountId: id, changed: ['callback'], isConnected: false },
      })
  })
}
