import { and, asc, desc, eq, exists, gt, isNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../infra/ctx'
import type { Tx } from '../../infra/db/transact'
import { timeIsOver } from '../../infra/jobs/concurrency'
import { enqueue } from '../../infra/jobs/enqueue'
import { activeTeamsOf, findTeam, type TeamRow } from '../teams/find'
import { teams } from '../teams/table'
import { candidatesOf, chooseFromTeam, isAvailable } from './choose-agent'
import { isActiveTransfer } from './find'
import { OfferEverywhere, OfferWaiting } from './jobs'
import { moveTransferIn } from './move'
import type { TransferRow } from './rules'
import { transfers } from './table'

/** Maximum number of waiting transfers offered in one transaction, and its time, milliseconds. */
const AT_ONCE = 20
const SLICE_MS = 5

/**
 * Offers what waits in the queues of a person's teams, because the person may have room for more
 * now. Jobs do the rest when the time is over. Runs inside the caller's transaction.
 */
export function offerToIn(tx: Tx, ctx: Ctx, userId: string): void {
  if (!isAvailable(ctx, userId)) return
  const isOver = timeIsOver(SLICE_MS)
  for (const teamId of activeTeamsOf(ctx, userId))
    if (isOver()) enqueue(tx, ctx, OfferWaiting, { args: { teamId } })
    else offerTeamIn(tx, ctx, teamId, isOver)
}

/**
 * Offers what waits in the queues of all teams, because everybody may have room for more now: up to
 * 20 teams by ID after the given one; a job continues. Runs inside the caller's transaction.
 */
export function offerEverywhereIn(tx: Tx, ctx: Ctx, afterTeamId: string): void {
  const found = teamsWithWaiting(ctx, afterTeamId)
  for (const teamId of found) enqueue(tx, ctx, OfferWaiting, { args: { teamId } })
  const last = found.at(-1)
  if (last !== undefined && found.length === AT_ONCE)
    enqueue(tx, ctx, OfferEverywhere, { args: { afterTeamId: last } })
}

const teamsWithWaiting = (ctx: Ctx, afterTeamId: string): string[] =>
  ctx.db.orm
    .select({ id: teams.id })
    .from(teams)
    .where(
      inOrganization(
        ctx,
        teams,
        gt(teams.id, afterTeamId),
        exists(
          ctx.db.orm
            .select({ one: sql`1` })
            .from(transfers)
            .where(
              inOrganization(
                ctx,
                transfers,
                and(isActiveTransfer, isNull(transfers.agentId), eq(transfers.teamId, teams.id)),
              ),
            ),
        ),
      ),
    )
    .orderBy(asc(teams.id))
    .limit(AT_ONCE)
    .all()
    .map(({ id }) => id)

/**
 * Gives waiting transfers of a team to eligible members by its strategy, highest priority and oldest
 * first. Nobody is given what they had and gave back. A job continues after the first 20, and when
 * the time is over. Runs inside the caller's transaction.
 */
export function offerTeamIn(tx: Tx, ctx: Ctx, teamId: string, isOver = timeIsOver(SLICE_MS)): void {
  const team = findTeam(ctx, teamId)
  if (!team?.isActive || team.assignmentStrategy === 'manual') return
  const takers = candidatesOf(ctx, team).map(({ userId }) => userId)
  if (takers.length === 0) return
  const waiting = waitingIn(tx, ctx, team, takers)
  let given = 0
  for (const row of waiting) {
    if (given > 0 && isOver()) break
    const agentId = chooseFromTeam(ctx, team, new Set(JSON.parse(row.passedOver) as string[]))
    if (agentId === null) continue
    moveTransferIn(tx, ctx, row, { agentId, teamId, kind: 'assigned', reason: 'offered' })
    given += 1
  }
  // The job goes on while it gives something away.
  if (given > 0 && (given < waiting.length || waiting.length === AT_ONCE))
    enqueue(tx, ctx, OfferWaiting, { args: { teamId } })
}

/** Returns the next waiting transfers that one of these members has not had yet. */
const waitingIn = (tx: Tx, ctx: Ctx, team: TeamRow, takers: string[]): TransferRow[] =>
  tx
    .select()
    .from(transfers)
    .where(
      inOrganization(
        ctx,
        transfers,
        and(
          isActiveTransfer,
          isNull(transfers.agentId),
          eq(transfers.teamId, team.id),
          sql`exists (select 1 from json_each(${JSON.stringify(takers)}) as taker where taker.value not in (select value from json_each(${transfers.passedOver})))`,
        ),
      ),
    )
    .orderBy(desc(transfers.priority), asc(transfers.transferredAtMs), asc(transfers.id))
    .limit(AT_ONCE)
    .all()
