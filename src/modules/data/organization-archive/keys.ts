import type { Ctx } from '../../../infra/ctx'
import { encryptedColumns } from '../../../infra/keys/encrypted-columns'
import { organizationArchives } from './table'

type ArchiveAt = Pick<typeof organizationArchives.$inferSelect, 'organizationId' | 'id'>

const placeOf = ({ organizationId, id }: ArchiveAt): string =>
  `${organizationId}/organization_archives/key/${id}`

/** Returns the key of an archive encrypted for its row. */
export const sealArchiveKey = ({ vault }: Pick<Ctx, 'vault'>, at: ArchiveAt, key: Buffer): string =>
  vault.seal(key.toString('base64'), placeOf(at))

export const openArchiveKey = (
  { vault }: Pick<Ctx, 'vault'>,
  row: ArchiveAt & { keySealed: string },
): Buffer => Buffer.from(vault.open(row.keySealed, placeOf(row)), 'base64')

/** Keys of archives that are not written yet. */
export const sealedArchives = encryptedColumns(organizationArchives, ['keySealed'], placeOf)
