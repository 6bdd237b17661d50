import { and, desc, eq, isNull, or } from 'drizzle-orm'

import { acrossOrganizations, systemCtx, type Deps } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { emit } from '../../../../infra/outbox/events'
import { AccountChanged } from '../events'
import { verifyTokenHash } from '../secrets'
import { accounts } from '../table'

/** Accounts that may share a verify token and are told of its use, the newest first. */
const MOST = 50

/**
 * Emits an event for each account with this verify token: WhatsApp has checked its callback. The token
 * of the installation is that of all accounts whose app has no secret of its own here.
 */
export function tellCallbackChecked(
  deps: Deps,
  { token, isOfInstallation }: { token: string; isOfInstallation: boolean },
): void {
  const checked = deps.db.orm
    .select({ id: accounts.id, organizationId: accounts.organizationId })
    .from(accounts)
    .where(
      acrossOrganizations(
        'the verify token tells whose callback is checked',
        and(
          isNull(accounts.deletedAtMs),
          or(
            eq(accounts.verifyTokenHash, verifyTokenHash(token)),
            isOfInstallation ? isNull(accounts.appSecretSealed) : undefined,
          ),
        ),
      ),
    )
    .orderBy(desc(accounts.createdAtMs))
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
