import { bytesToUuid } from '../../../../infra/db/uuid'
import type { UserRow } from '../../../organization/users/service'
import { NO_MEMBER, wrongValue, type ArchivePlace } from '../archive/fault'
import type { RowToStore } from '../archive/row-reader'
import type { ImportedPerson } from './people'

/** People who are in the archive as members. Of others, only the names are there. */
const MEMBERS: ReadonlySet<ImportedPerson['outcome']> = new Set([
  'created',
  'joined',
  'unconfirmed',
])

/**
 * Returns the membership of a person as it is stored here. A person who has to confirm is suspended
 * until then. A person with other memberships keeps the default one. Throws ArchiveFault for a
 * person who is no member in the archive: nothing proves that the account here is the same person.
 */
export function arrivingMembership(
  row: RowToStore,
  {
    person,
    user,
    place,
  }: { person: ImportedPerson | undefined; user: UserRow | null; place: ArchivePlace },
): RowToStore {
  if (person === undefined || !MEMBERS.has(person.outcome))
    throw wrongValue('user_id', NO_MEMBER, place)
  const isNew = person.outcome === 'created'
  const mustConfirm = person.outcome === 'unconfirmed'
  return {
    ...row,
    is_active: mustConfirm ? 0 : (row['is_active'] ?? 1),
    accepted_from_ms: mustConfirm ? null : (row['accepted_from_ms'] ?? null),
    is_default: isNew ? 1 : 0,
    is_disabled: user?.isDisabled === true ? 1 : 0,
    words: `${user?.fullName.toLowerCase() ?? ''}\n${user?.email ?? ''}`,
  }
}

/** Returns the ID of the person of a membership in the archive. */
export const memberOf = (row: RowToStore): string => bytesToUuid(row['user_id'] as Uint8Array)
