import { and, asc, eq, gt } from 'drizzle-orm'

import { DAY_MS } from '../../../../lib/clock'
import { INSTALLATION, systemCtx, type JobCtx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { nameOfOrganization } from '../../../organization/notifications/organization-names'
import { startErasureIn } from '../../organization-deletion/start'
import { findOrganization, type OrganizationRow } from '../../../organization/organizations/service'
import { organizations } from '../../../organization/organizations/table'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import type { MoveAnswer } from '../protocol'
import { findNewestMove } from '../queries'
import type { MoveRow } from '../table'
import { askTarget, orderLastStep } from './ask-target'
import { changeMoveIn } from './change'
import type { MoveProblem } from './problem'
import { takeBack } from './take-back'
import { hasLostArchive, uploadArchive } from './upload'
import { whereaboutsFrom } from './whereabouts'

/** Organizations read at once. */
const PAGE = 100

/** How often the super admins are reminded of a copy that may be the only one. */
const REMINDER_MS = DAY_MS

/**
 * Asks the other cells whether the organizations work there that have moved there. A cell that has lost
 * the last step, because it failed over or was restored, is told to take it again: this cell does not
 * work for the organization any more. A copy is erased when its time is over or when a person was
 * erased there, and only after the other cell has answered that the organization is there.
 */
export async function watchMoved(ctx: JobCtx): Promise<void> {
  const silent = new Set<string>()
  for (let after: string | null = ''; after !== null;) {
    const rows = movedAfter(ctx, after)
    for (const row of rows) {
      ctx.signal.throwIfAborted()
      const cell = row.movedTo ?? ''
      if (silent.has(cell)) continue
      const answer = await askOrHelp(ctx, row).catch((error: unknown) => {
        silent.add(cell)
        ctx.log.warn({ cell, error }, 'a server to which organizations moved does not answer')
        return null
      })
      if (cameBack(row, answer)) await takeBack(ctx, row.id, answer.moves)
      else conclude(ctx, row, answer)
    }
    after = rows.length < PAGE ? null : (rows.at(-1)?.id ?? null)
  }
}

/** Whether an organization came back here after it had moved to the cell that answers. */
const cameBack = (
  { movedTo, moves }: OrganizationRow,
  answer: MoveAnswer | null,
): answer is MoveAnswer => {
  const at = answer && whereaboutsFrom(movedTo ?? '', answer)
  return at !== null && at.isHere && at.moves > moves
}

/** Like `askAbout`. Sends the archive again if the cell has lost it, too. */
async function askOrHelp(ctx: JobCtx, row: OrganizationRow): Promise<MoveAnswer> {
  const answer = await askAbout(ctx, row)
  const move = completedMove(ctx, row.id, row.movedTo ?? '')
  if (move === null || !hasLostArchive(move, answer)) return answer
  await uploadArchive(ctx, move)
  return askAbout(ctx, row)
}

const movedAfter = ({ db }: JobCtx, after: string): OrganizationRow[] =>
  db.orm
    .select()
    .from(organizations)
    .where(and(eq(organizations.state, 'moved'), gt(organizations.id, after)))
    .orderBy(asc(organizations.id))
    .limit(PAGE)
    .all()

/**
 * Asks the cell of an organization that has moved whether it works there, and orders the last step again
 * if it only waits for that. Throws MoveRefused and other errors.
 */
export function askAbout(
  ctx: Parameters<typeof askTarget>[0],
  { id: organizationId, movedTo }: OrganizationRow,
): Promise<MoveAnswer> {
  const target = movedTo ?? ''
  const move = completedMove(ctx, organizationId, target)
  return move
    ? orderLastStep(ctx, move)
    : askTarget(ctx, { id: ctx.ids.next(), organizationId, target }, { action: 'ask' })
}

/** Returns the move that took an organization to another cell; `null` if it came from there. */
function completedMove(
  ctx: Parameters<typeof askTarget>[0],
  organizationId: string,
  target: string,
): MoveRow | null {
  const move = findNewestMove(ctx, organizationId)
  return move?.step === 'completed' && move.target === target ? move : null
}

/** Whether a cell has the organization, or had it and erased it: then the copy here is not needed. */
export const hasArrived = (
  ctx: Parameters<typeof askTarget>[0],
  row: OrganizationRow,
  answer: MoveAnswer,
): boolean => answer.erases_copy || (answer.place === 'here' && !hasOlderState(ctx, row, answer))

/**
 * Whether a cell has an organization without the move that took it there from here: it was restored from a
 * backup of an earlier time at which it had the organization, too.
 */
const hasOlderState = (
  ctx: Parameters<typeof askTarget>[0],
  { id, movedTo }: OrganizationRow,
  { place, state }: MoveAnswer,
): boolean =>
  place === 'here' && state !== 'completed' && completedMove(ctx, id, movedTo ?? '') !== null

/** Whether the last step may still be under way there. */
const isArriving = ({ state }: MoveAnswer): boolean =>
  state === 'checking' || state === 'running' || state === 'waiting'

function conclude(ctx: JobCtx, asked: OrganizationRow, answer: MoveAnswer | null): void {
  transact(ctx.db, (tx) => {
    const row = findOrganization(ctx, asked.id)
    if (row?.state !== 'moved' || row.movedTo !== asked.movedTo) return
    const isDue = (row.deletesAtMs ?? Infinity) <= ctx.clock.nowMs()
    if (answer !== null && hasArrived(ctx, row, answer)) {
      if (isDue || answer.erases_copy) startErasureIn(tx, ctx, row.id)
      return
    }
    const isLost = answer !== null && !isArriving(answer)
    if (!isLost && !isDue) return
    const isOlder = answer !== null && hasOlderState(ctx, row, answer)
    const problem = problemOf(row, { isLost, isOlder })
    const move = completedMove(ctx, row.id, row.movedTo ?? '')
    if (move && move.error !== problem.error) changeMoveIn(tx, ctx, move, problem)
    notifySuperAdminsIn(
      tx,
      systemCtx(ctx, INSTALLATION),
      {
        kind: 'organization_moved',
        severity: 'critical',
        title: isOlder ? 'Organization works with an older state' : 'Organization missing',
        body:
          `${nameOfOrganization(row.id)}: ${problem.error} The copy here is kept. Restore that server from a newer backup, or ` +
          `${isOlder ? TO_CHOOSE : TO_WORK_HERE}`,
        link: `/docs/move-organization?organization=${row.id}`,
      },
      { onceSinceMs: ctx.clock.nowMs() - REMINDER_MS },
    )
  })
}

const TO_WORK_HERE =
  'let the organization work here again with `switchboard organization move ID --abort --force`.'

const TO_CHOOSE =
  'erase the copy with `switchboard organization move ID --erase-copy --force`. To work with the copy instead, ' +
  `delete the organization there, with \`"erase_now": true\`; then ${TO_WORK_HERE}`

/** Says what is wrong with an organization that has moved, as a sentence. */
function problemOf(
  { movedTo }: OrganizationRow,
  { isLost, isOlder }: { isLost: boolean; isOlder: boolean },
): MoveProblem {
  if (isOlder)
    return {
      error: `It works at ${movedTo} as it was before it moved there.`,
      errorCode: 'older_there',
    }
  return isLost
    ? {
        error: `${movedTo} answers that it does not have the organization any more.`,
        errorCode: 'missing_there',
      }
    : {
        error: `${movedTo} does not answer that the organization works there.`,
        errorCode: 'not_confirmed',
      }
}
