import { count, eq } from 'drizzle-orm'

import { InvalidError } from '../../lib/errors'
import { foldText } from '../../lib/fold-text'
import { inOrganization, type Ctx } from '../../infra/ctx'
import { transact, type Tx } from '../../infra/db/transact'
import { requireUnique } from '../../infra/require-unique'
import { recordAudit } from '../audit/record'
import type { NewTeam, TeamAnswer } from './model'
import { teamView } from './queries'
import { teams } from './table'

/** Maximum number of teams of an organization. */
const MAX_TEAMS = 200

/**
 * Creates a team without members. Throws ConflictError `name_taken` and InvalidError
 * `too_many_teams`.
 */
export function createTeam(ctx: Ctx, input: NewTeam): TeamAnswer {
  return transact(ctx.db, (tx) => {
    const name = requireFreeName(ctx, input.name, null)
    requireRoomIn(tx, ctx)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(teams)
      .values({
        organizationId: ctx.organizationId,
        id: ctx.ids.next(),
        name,
        nameKey: foldText(name),
        description: input.description ?? null,
        assignmentStrategy: input.assignment_strategy ?? 'round_robin',
        isActive: input.is_active ?? true,
        perAgentTimeoutS: input.per_agent_timeout_secs ?? 0,
        maxActivePerAgent: input.max_active_per_agent ?? null,
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      })
      .returning()
      .get()
    recordAudit(tx, ctx, {
      action: 'created',
      resourceType: 'team',
      resourceId: row.id,
      resourceName: name,
    })
    return { team: teamView(ctx, row) }
  })
}

function requireRoomIn(tx: Tx, ctx: Ctx): void {
  const rows = tx
    .select({ rows: count() })
    .from(teams)
    .where(inOrganization(ctx, teams))
    .get()?.rows
  if ((rows ?? 0) >= MAX_TEAMS)
    throw new InvalidError(
      `An organization can have up to ${MAX_TEAMS} teams. Delete one that is not needed.`,
      { code: 'too_many_teams' },
    )
}

/** Returns the name as it is stored. Throws ConflictError if another team has it. */
function requireFreeName(ctx: Ctx, written: string, exceptId: string | null): string {
  const name = written.trim()
  requireUnique(ctx, {
    table: teams,
    kind: 'team',
    field: 'name',
    where: eq(teams.nameKey, foldText(name)),
    except: exceptId,
  })
  return name
}
