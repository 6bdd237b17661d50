import { and, asc, eq, gt, isNotNull } from 'drizzle-orm'

import { acrossOrganizations, inOrganization, systemCtx, type Ctx } from '../../infra/ctx'
import type { EncryptedTable } from '../../infra/keys/keyring'
import { organizationArchives } from './table'

type ArchiveAt = Pick<typeof organizationArchives.$inferSelect, 'organizationId' | 'id'>

const placeOf = ({ organizationId, id }: ArchiveAt): string =>
  `${organizationId}/organization_archives/key/${id}`

/** Returns the key of an archive encrypted for its row. */
export const sealArchiveKey = ({ vault }: Pick<Ctx, 'vault'>, at: ArchiveAt, key: Buffer): string =>
  vault.seal(key.toString('base64'), placeOf(at))

/** Returns the key of an archive. */
export const openArchiveKey = (
  { vault }: Pick<Ctx, 'vault'>,
  row: ArchiveAt & { keySealed: string },
): Buffer => Buffer.from(vault.open(row.keySealed, placeOf(row)), 'base64')

const BATCH = 50

/** Keys of archives that are not written yet. */
export const sealedArchives: EncryptedTable = {
  name: 'organization_archives',
  reencryptIn(tx, deps, after) {
    const rows = tx
      .select()
      .from(organizationArchives)
      .where(
        acrossOrganizations(
          'a key rotation encrypts the secrets of all organizations',
          and(gt(organizationArchives.id, after), isNotNull(organizationArchives.keySealed)),
        ),
      )
      .orderBy(asc(organizationArchives.id))
      .limit(BATCH)
      .all()
    for (const row of rows)
      tx.update(organizationArchives)
        .set({ keySealed: deps.vault.reseal(row.keySealed ?? '', placeOf(row)) })
        .where(
          inOrganization(
            systemCtx(deps, row.organizationId),
            organizationArchives,
            eq(organizationArchives.id, row.id),
          ),
        )
        .run()
    return rows.length < BATCH ? null : (rows.at(-1)?.id ?? null)
  },
}
