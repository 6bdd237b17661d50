import { and, eq, gte } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../../infra/ctx'
import { findMoveImport, newestArrivalMs } from '../../organization-import/queries'
import { findOrganization, type OrganizationRow } from '../../../organization/organizations/service'
import { privacyRequests } from '../../privacy/table'
import type { MoveAnswer, MoveFacts } from '../protocol'
import { findNewestMove } from '../queries'

type Whereabouts = Pick<MoveAnswer, 'place' | 'moved_to' | 'moves' | 'erases_copy'>

/** Returns where an organization is, for the cell that asks. */
export function whereaboutsOf(ctx: Ctx, { organization, cell, move }: MoveFacts): Whereabouts {
  const row = findOrganization(ctx, organization)
  const place = placeOf(row, cell)
  return {
    place,
    moved_to: row?.movedTo ?? null,
    moves: row?.moves ?? 0,
    erases_copy: erasesCopy(ctx, { organization, cell, move, place }),
  }
}

function placeOf(row: OrganizationRow | null, cell: string): Whereabouts['place'] {
  if (row === null || row.state === 'erasing') return 'none'
  if (row.state === 'importing') return 'arriving'
  return row.state === 'moved' && row.movedTo === cell ? 'returned' : 'here'
}

/**
 * Whether the copy of the cell that asks must be erased. One that was restored does not know its move: then
 * the last arrival here counts, and only a person who was erased, because an organization that is not here
 * may have been lost. A cell to which a move was undone has a copy of that time.
 */
function erasesCopy(
  ctx: Ctx,
  {
    organization,
    cell,
    move,
    place,
  }: Pick<MoveFacts, 'organization' | 'cell' | 'move'> & Pick<Whereabouts, 'place'>,
): boolean {
  const arrived = findMoveImport(ctx, move)
  if (arrived?.state === 'completed')
    return place === 'none' || wasErasedSince(ctx, organization, arrived.finishedAtMs ?? 0)
  const arrivedAtMs = place === 'here' ? newestArrivalMs(ctx, organization) : null
  if (arrivedAtMs === null) return false
  const undone = findNewestMove(ctx, organization)
  const undoneAtMs = undone?.target === cell ? (undone.thawedAtMs ?? 0) : 0
  return wasErasedSince(ctx, organization, Math.max(arrivedAtMs, undoneAtMs))
}

/** Whether a person in an organization was erased since. */
const wasErasedSince = ({ db }: Ctx, organizationId: string, sinceMs: number): boolean =>
  db.orm
    .select({ id: privacyRequests.id })
    .from(privacyRequests)
    .where(
      inOrganization(
        { organizationId },
        privacyRequests,
        and(eq(privacyRequests.kind, 'erase'), gte(privacyRequests.createdAtMs, sinceMs)),
      ),
    )
    .limit(1)
    .get() !== undefined
