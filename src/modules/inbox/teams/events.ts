import { defineHook } from '../../../infra/transaction-hooks'

/** A rule, a flow or anything else that names a team. */
export interface TeamUse {
  kind: string
  id: string
  name: string
}

/** A team is about to be deleted. Handlers add to `uses` what still names it. */
export const TeamUsesRequested = defineHook<{ teamId: string; uses: TeamUse[] }>('team.uses')

/**
 * A team was deleted or deactivated, and its members no longer see what is assigned to it. Its
 * waiting work needs another place.
 */
export const TeamClosed = defineHook<{ teamId: string; isDeleted: boolean }>('team.closed')

/**
 * The members or the settings of an active team changed, so that somebody may be able to take work
 * that waits.
 */
export const TeamChanged = defineHook<{ teamId: string }>('team.changed')
