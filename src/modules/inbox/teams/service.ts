import { ConflictError, NotFoundError } from '../../../lib/errors'
import { foldText } from '../../../lib/fold-text'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { requireUnique } from '../../../infra/require-unique'
import { of } from '../../../infra/scoped'
import { runHooks } from '../../../infra/transaction-hooks'
import { collection } from '../../organization/audit/collection'
import { requireManagesTeam } from './access'
import { TeamChanged, TeamClosed, TeamUsesRequested, type TeamUse } from './events'
import { findTeam, membersOf, type TeamRow } from './find'
import type { NewTeam, TeamAnswer, TeamChanges } from './model'
import { publishSightChangeIn } from './members'
import { teamView } from './queries'
import { teamMembers, teams } from './table'

/** Maximum number of teams of an organization. */
export const MAX_TEAMS = 200

const changedTeams = collection({
  table: teams,
  name: 'Team',
  resourceType: 'team',
  recorded: (row) => ({
    name: row.name,
    description: row.description,
    assignment_strategy: row.assignmentStrategy,
    is_active: row.isActive,
    per_agent_timeout_secs: row.perAgentTimeoutS,
    max_active_per_agent: row.maxActivePerAgent,
  }),
})

const isThere = { deletedAtMs: null }

/** Creates a team without members. Throws ConflictError `name_taken` and `limit_reached`. */
export function createTeam(ctx: Ctx, input: NewTeam): TeamAnswer {
  return transact(ctx.db, (tx) => {
    const name = requireFreeName(ctx, input.name, null)
    if (of(ctx, teams).count(isThere) >= MAX_TEAMS)
      throw new ConflictError(
        `An organization can have up to ${MAX_TEAMS} teams. Delete one that is not needed.`,
        { code: 'limit_reached' },
      )
    const row = changedTeams.addIn(tx, ctx, {
      name,
      nameKey: foldText(name),
      description: input.description ?? null,
      assignmentStrategy: input.assignment_strategy ?? 'round_robin',
      isActive: input.is_active ?? true,
      perAgentTimeoutS: input.per_agent_timeout_secs ?? 0,
      maxActivePerAgent: input.max_active_per_agent ?? null,
    })
    return { team: teamView(ctx, row) }
  })
}

/**
 * Changes the given fields of a team. Deactivating it hides what is assigned to it from its members.
 * Throws NotFoundError, ForbiddenError `permission_denied` and ConflictError `name_taken`.
 */
export function updateTeam(ctx: Ctx, id: string, changes: TeamChanges): TeamAnswer {
  return transact(ctx.db, (tx) => {
    const before = requireManagesTeam(ctx, id)
    const name = changes.name === undefined ? before.name : requireFreeName(ctx, changes.name, id)
    const after = changedTeams.changeIn(tx, ctx, before, {
      name,
      nameKey: foldText(name),
      description: changes.description,
      assignmentStrategy: changes.assignment_strategy,
      isActive: changes.is_active,
      perAgentTimeoutS: changes.per_agent_timeout_secs,
      maxActivePerAgent: changes.max_active_per_agent,
    })
    if (after !== before) applyActivityIn(tx, ctx, before, after)
    return { team: teamView(ctx, after) }
  })
}

/** Tells the members and the higher modules what a change of a team means for them. */
function applyActivityIn(tx: Tx, ctx: Ctx, before: TeamRow, after: TeamRow): void {
  if (before.isActive !== after.isActive)
    publishSightChangeIn(tx, ctx, { isActive: true }, userIdsOf(ctx, after.id))
  if (after.isActive) runHooks(tx, ctx, TeamChanged, { teamId: after.id })
  else if (before.isActive) runHooks(tx, ctx, TeamClosed, { teamId: after.id, isDeleted: false })
}

/**
 * Deletes a team and its memberships. What is assigned to it is no longer assigned to a team. Throws
 * NotFoundError, and ConflictError `in_use` while something names the team, unless `isForced`.
 */
export function deleteTeam(ctx: Ctx, id: string, isForced: boolean): void {
  transact(ctx.db, (tx) => {
    const row = findTeam(ctx, id)
    if (!row) throw new NotFoundError('Team')
    if (!isForced) requireUnusedIn(tx, ctx, id)
    publishSightChangeIn(tx, ctx, row, userIdsOf(ctx, id))
    of(ctx, teamMembers).delete(tx, { teamId: id })
    const deletedAtMs = ctx.clock.nowMs()
    of(ctx, teams).update(tx, { id }, { isActive: false, deletedAtMs, updatedAtMs: deletedAtMs })
    changedTeams.recordIn(tx, ctx, { action: 'deleted', row })
    runHooks(tx, ctx, TeamClosed, { teamId: id, isDeleted: true })
  })
}

function requireUnusedIn(tx: Tx, ctx: Ctx, teamId: string): void {
  const uses: TeamUse[] = []
  runHooks(tx, ctx, TeamUsesRequested, { teamId, uses })
  const [first] = uses
  if (!first) return
  throw new ConflictError(
    `The team is used by "${first.name}"${uses.length > 1 ? ` and ${uses.length - 1} more` : ''}. ` +
      'Remove it there first, or send `force=true`.',
    { code: 'in_use', details: { used_by: uses } },
  )
}

const userIdsOf = (ctx: Ctx, teamId: string): string[] =>
  membersOf(ctx, teamId).map(({ userId }) => userId)

/** Returns the name as it is stored. Throws ConflictError if another team has it. */
function requireFreeName(ctx: Ctx, written: string, exceptId: string | null): string {
  const name = written.trim()
  requireUnique(ctx, {
    table: teams,
    kind: 'team',
    field: 'name',
    where: { nameKey: foldText(name), ...isThere },
    except: exceptId,
  })
  return name
}
