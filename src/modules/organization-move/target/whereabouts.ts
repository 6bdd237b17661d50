import { and, eq, gte, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import { findMoveImport } from '../../organization-import/queries'
import { organizationImports } from '../../organization-import/table'
import { findOrganization, type OrganizationRow } from '../../organizations/service'
import { privacyRequests } from '../../privacy/table'
import type { MoveAnswer, MoveFacts } from '../protocol'

type Whereabouts = Pick<MoveAnswer, 'place' | 'came_from_asker' | 'erases_copy'>

/** Returns where an organization is, for the cell that asks. */
export function whereaboutsOf(ctx: Ctx, { organization, cell, move }: MoveFacts): Whereabouts {
  const place = placeOf(findOrganization(ctx, organization), cell)
  return {
    place,
    came_from_asker: cameFrom(ctx, organization, cell),
    erases_copy: erasesCopy(ctx, { organization, move, place }),
  }
}

function placeOf(row: OrganizationRow | null, cell: string): Whereabouts['place'] {
  if (row === null || row.state === 'erasing') return 'none'
  if (row.state === 'importing') return 'arriving'
  return row.state === 'moved' && row.movedTo === cell ? 'returned' : 'here'
}

const cameFrom = ({ db }: Ctx, organization: string, cell: string): boolean =>
  db.orm
    .select({ id: organizationImports.id })
    .from(organizationImports)
    .where(
      and(
        eq(organizationImports.fromCell, cell),
        eq(organizationImports.state, 'completed'),
        sql`json_extract(${organizationImports.organization}, '$.id') = ${organization}`,
      ),
    )
    .limit(1)
    .get() !== undefined

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
