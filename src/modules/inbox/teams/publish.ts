import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { emit } from '../../../infra/outbox/events'
import { PermissionsChanged } from '../../organization/memberships/events'
import type { TeamRow } from './find'

/**
 * Publishes to users that they see other contacts than before, because they joined or left a team,
 * or because the team was activated or closed. Runs inside the caller's transaction. Publishes
 * nothing about an inactive team, which shows nothing.
 */
export function publishSightChangeIn(
  tx: Tx,
  ctx: Ctx,
  team: Pick<TeamRow, 'isActive'>,
  userIds: string[],
): void {
  if (!team.isActive) return
  for (const userId of userIds)
    emit(tx, ctx, PermissionsChanged, {
      contactId: null,
      payload: { userId, reason: 'team_changed' },
    })
}
