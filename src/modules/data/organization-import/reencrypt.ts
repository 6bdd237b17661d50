import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import type { EncryptedTable } from '../../../infra/keys/encrypted-columns'
import { resealKey } from './archive-file'
import { organizationImports } from './table'

const BATCH = 50

/** Re-encrypts the keys of archives that are being imported. */
export const sealedOrganizationImports: EncryptedTable = {
  name: 'organization_imports',
  reencryptIn(tx, deps, after) {
    const { id, keySealed } = organizationImports
    const rows = tx
      .select({ id, keySealed })
      .from(organizationImports)
      .where(and(gt(id, after), isNotNull(keySealed)))
      .orderBy(asc(id))
      .limit(BATCH)
      .all()
    for (const row of rows)
      tx.update(organizationImports)
        .set({ keySealed: resealKey(deps, row.id, row.keySealed ?? '') })
        .where(eq(id, row.id))
        .run()
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
