import { and, eq, gte } from 'drizzle-orm'

import { isoTimeOrNull } from '../../../lib/clock'
import { inOrganization, type Ctx } from '../../../infra/ctx'
import { findMoveImport, newestArrivalMs } from '../../organization-import/queries'
import { findOrganization, type OrganizationRow } from '../../organizations/service'
import { privacyRequests } from '../../privacy/table'
import type { MoveAnswer, MoveFacts } from '../protocol'

type Whereabouts = Pick<MoveAnswer, 'place' | 'moved_to' | 'arrived_at' | 'erases_copy'>

/** Returns where an organization is, for the cell that asks. */
export function whereaboutsOf(ctx: Ctx, { organization, cell, move }: MoveFacts): Whereabouts {
  const row = findOrganization(ctx, organization)
  const place = placeOf(row, cell)
  return {
    place,
    moved_to: row?.movedTo ?? null,
    arrived_at: isoTimeOrNull(newestArrivalMs(ctx, organization)),
    erases_copy: erasesCopy(ctx, { organization, move, place }),
  }
}

function placeOf(row: OrganizationRow | null, cell: string): Whereabouts['place'] {
  if (row === null || row.state === 'erasing') return 'none'
  if (row.state === 'importing') return 'arriving'
  return row.state === 'moved' && row.movedTo === cell ? 'returned' : 'here'
}

function erasesCopy(
  { db }: Ctx,
  {
    organization,
    move,
    place,
  }: Pick<MoveFacts, 'organization' | 'move'> & Pick<Whereabouts, 'place'>,
): boolean {
  const arrived = findMoveImport({ db }, move)
  if (arrived?.state !== 'completed') return false
  if (place === 'none') return true
  return (
    db.orm
      .select({ id: privacyRequests.id })
      .from(privacyRequests)
      .where(
        inOrganization(
          { organizationId: organization },
          privacyRequests,
          and(
            eq(privacyRequests.kind, 'erase'),
            gte(privacyRequests.createdAtMs, arrived.finishedAtMs ?? 0),
          ),
        ),
      )
      .limit(1)
      .get() !== undefined
  )
}
