import { and, asc, desc, eq, exists, gt, isNull, sql } from 'drizzle-orm'

import { inOrganization, type Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { timeIsOver } from '../../../infra/jobs/concurrency'
import { enqueue } from '../../../infra/jobs/enqueue'
import { activeTeamsOf, findTeam, type TeamRow } from '../../inbox/teams/find'
import { teams } from '../../inbox/teams/table'
import { candidatesOf, chooseFromTeam, isAvailable } from './choose-agent'
import { findTransfer, isActiveTransfer } from './find'
import { OfferEverywhere, OfferWaiting } from './jobs'
import { moveTransferIn } from './move'
import type { TransferRow } from './rules'
import { transfers } from './table'

/** Maximum number of waiting transfers offered in one transaction, and its time, milliseconds. */
const AT_ONCE = 20
const SLICE_MS = 5

/** Maximum number of waiting transfers looked at in one transaction. */
const LOOKED_AT = 200

/**
 * Offers what waits in the queues of a person's teams, because the person may have room for more
 * now. Jobs do the rest when the time is over. Runs inside the caller's transaction.
 */
export function offerToIn(tx: Tx, ctx: Ctx, userId: string): void {
  if (!isAvailable(ctx, userId)) return
  const isOver = timeIsOver(SLICE_MS)
  for (const teamId of activeTeamsOf(ctx, userId))
    if (isOver()) enqueue(tx, ctx, OfferWaiting, { args: { teamId } })
    else offerTeamIn(tx, ctx, { teamId }, isOver)
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
 * first. Nobody is given what they had and gave back. A job continues after the first 20, when the
 * time is over, and after 200 that nobody is given; `skip` of them were looked at before. Runs inside
 * the caller's transaction.
 */
export function offerTeamIn(
  tx: Tx,
  ctx: Ctx,
  { teamId, skip = 0 }: { teamId: string; skip?: number | undefined },
  isOver = timeIsOver(SLICE_MS),
): void {
  const team = findTeam(ctx, teamId)
  if (!team?.isActive || team.assignmentStrategy === 'manual') return
  const takers = candidatesOf(ctx, team).map(({ userId }) => userId)
  if (takers.length === 0) return
  const waiting = waitingIn(tx, ctx, team, skip)
  const fresh = waiting.filter(({ passedOver }) => takers.some((id) => !passedOver.includes(id)))
  let given = 0
  for (const { id } of fresh.slice(0, AT_ONCE)) {
    if (given > 0 && isOver()) break
    if (offerOneIn(tx, ctx, team, id)) given += 1
  }
  // The jobs go on while they give something away, and then until the end of the queue.
  if (given > 0 && (given < fresh.length || waiting.length === LOOKED_AT))
    enqueue(tx, ctx, OfferWaiting, { args: { teamId, skip } })
  else if (given === 0 && waiting.length === LOOKED_AT)
    enqueue(tx, ctx, OfferWaiting, { args: { teamId, skip: skip + LOOKED_AT } })
}

/** Gives a waiting transfer to the member whose turn it is. Returns whether there is one. */
function offerOneIn(tx: Tx, ctx: Ctx, team: TeamRow, id: string): boolean {
  const row = findTransfer(ctx, id)
  if (row === null) return false
  const agentId = chooseFromTeam(ctx, team, new Set(JSON.parse(row.passedOver) as string[]))
  if (agentId === null) return false
  moveTransferIn(tx, ctx, row, { agentId, teamId: team.id, kind: 'assigned', reason: 'offered' })
  return true
}

/**
 * Returns the next waiting transfers of a team with those who had them. The `+` keeps SQLite from the
 * index of the team, which has another order, so that it would sort the whole queue.
 */
const waitingIn = (
  tx: Tx,
  ctx: Ctx,
  team: TeamRow,
  skip: number,
): Pick<TransferRow, 'id' | 'passedOver'>[] =>
  tx
    .select({ id: transfers.id, passedOver: transfers.passedOver })
    .from(transfers)
    .where(
      inOrganization(
        ctx,
        transfers,
        and(
          isActiveTransfer,
          isNull(transfers.agentId),
          sql`+${transfers.teamId} = ${sql.param(team.id, transfers.teamId)}`,
        ),
      ),
    )
    .orderBy(desc(transfers.priority), asc(transfers.transferredAtMs), asc(transfers.id))
    .limit(LOOKED_AT)
    .offset(skip)
    .all()
