import { asc, gt } from 'drizzle-orm'

import type { EncryptedTable } from '../../../infra/keys/encrypted-columns'
import { storeUserIn } from '../users/service'
import { users } from '../users/table'
import { resealTotpSecret } from './second-factor'

const BATCH = 50

/** Re-encrypts the secrets of two-factor authentication. */
export const sealedUsers: EncryptedTable = {
  name: 'users',
  reencryptIn(tx, deps, after) {
    const { id, totpSealed, totpPendingSealed } = users
    const rows = tx
      .select({ id, totpSealed, totpPendingSealed })
      .from(users)
      .where(gt(id, after))
      .orderBy(asc(id))
      .limit(BATCH)
      .all()
    for (const row of rows) {
      const set = {
        totpSealed: resealTotpSecret(deps, row.id, row.totpSealed),
        totpPendingSealed: resealTotpSecret(deps, row.id, row.totpPendingSealed),
      }
      if (set.totpSealed !== row.totpSealed || set.totpPendingSealed !== row.totpPendingSealed)
        storeUserIn(tx, deps, row.id, set)
    }
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
