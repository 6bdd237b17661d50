import type { StoredRow } from '../archive/row-reader'
import { bytesToUuid } from '../../../infra/db/uuid'
import type { UserRow } from '../../users/service'
import type { ImportedPerson } from './people'

/**
 * Returns the membership of a person as it is stored here. A person who has to confirm is suspended
 * until then. A person with other memberships keeps the default one.
 */
export function arrivingMembership(
  row: StoredRow,
  person: ImportedPerson | undefined,
  user: UserRow | null,
): StoredRow {
  const isNew = person?.outcome === 'created'
  return {
    ...row,
    is_active: person?.outcome === 'unconfirmed' ? 0 : (row['is_active'] ?? 1),
    accepted_from_ms: person?.outcome === 'unconfirmed' ? null : (row['accepted_from_ms'] ?? null),
    is_default: isNew ? 1 : 0,
    is_disabled: user?.isDisabled === true ? 1 : 0,
    words: `${user?.fullName.toLowerCase() ?? ''}\n${user?.email ?? ''}`,
  }
}

/** Returns the ID of the person of a membership in the archive. */
export const memberOf = (row: StoredRow): string => bytesToUuid(row['user_id'] as Uint8Array)
