import { and, asc, eq, gt, inArray, isNull, ne, notInArray } from 'drizzle-orm'

import { MINUTE_MS } from '../../../../lib/clock'
import {
  acrossOrganizations,
  INSTALLATION,
  systemCtx,
  type Ctx,
  type Deps,
  type JobCtx,
} from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { yieldToEventLoop } from '../../../../infra/event-loop'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { cancelKindsIn, liveArgsOf } from '../../../../infra/jobs/live-jobs'
import { resumeWorkIn, stopWorkingIn } from '../../../channel/accounts/arrive'
import { oldestWaitingMs } from '../../../channel/inbound/queries'
import {
  findOrganization,
  freezeAllIn,
  setMovesIn,
  setOrganizationStateIn,
  type OrganizationRow,
} from '../../../organization/organizations/service'
import { organizations } from '../../../organization/organizations/table'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { AskAfterRestore, ThawAfterRestore } from '../jobs'
import { findNewestMove } from '../queries'
import { stopHereIn } from '../stop-here'
import { organizationMoves, type MoveRow } from '../table'
import { askTarget } from './ask-target'
import { enterStepIn } from './change'
import type { MoveProblem } from './problem'
import { whereaboutsFrom, type Whereabouts } from './whereabouts'

/** Organizations read at once. */
const PAGE = 100

/** Organizations that one cell is asked about at the same time. */
const AT_ONCE = 4

/** Ordering key of the question. */
const ASKING = 'ask-after-restore'

/** Whether not all cells have answered after a restore, so that this one may not know the latest moves. */
export const isAskingAfterRestore = (ctx: Ctx): boolean =>
  liveArgsOf(systemCtx(ctx, INSTALLATION), { kind: AskAfterRestore.name, orderingKey: ASKING })
    .length > 0

/** The parts of a restore. */
type Restored = Pick<Deps, 'db' | 'clock' | 'ids'>

/**
 * Schedules the question about the organizations of a restored database. With `freezes`, nothing is
 * changed or sent in them before the other cells have answered, and webhooks are passed on to the other
 * cells and kept here. Without, those that an earlier restore froze work soon. Returns how many are frozen.
 */
export const askAfterRestore = (restored: Restored, { freezes }: { freezes: boolean }): number =>
  transact(restored.db, (tx) => {
    const deps = restored as Deps // only these parts are used
    // Those of an earlier restore would let organizations work before this one has its answers.
    cancelKindsIn(tx, [AskAfterRestore.name, ThawAfterRestore.name], deps.clock.nowMs())
    enqueue(tx, systemCtx(deps, INSTALLATION), AskAfterRestore, { args: {}, orderingKey: ASKING })
    if (!freezes) {
      if (frozenIn(tx).length > 0) thawSoonIn(tx, systemCtx(deps, INSTALLATION))
      return 0
    }
    const frozen = [...freezeAllIn(tx), ...leaveToTargetsIn(tx, systemCtx(deps, INSTALLATION))]
    const sinceMs = oldestWaitingMs(deps) ?? deps.clock.nowMs()
    for (const id of frozen) stopWorkingIn(tx, systemCtx(deps, id), sinceMs)
    return frozen.length
  })

/**
 * Lets the targets decide about moves that were in progress when the backup was made: they may have been
 * completed since. Returns the organizations, which stay frozen until then.
 */
function leaveToTargetsIn(tx: Tx, ctx: Ctx): string[] {
  const moves = tx
    .select()
    .from(organizationMoves)
    .where(
      acrossOrganizations(
        'a restore concerns all organizations',
        inArray(organizationMoves.step, ['draining', 'exporting', 'uploading', 'importing']),
      ),
    )
    .all()
  for (const move of moves) enterStepIn(tx, ctx, move, 'activating')
  return moves.map(({ organizationId }) => organizationId)
}

/** How long organizations stay frozen while a cell does not answer, counted from the first question. */
const PATIENCE_MS = 10 * MINUTE_MS

/**
 * Asks the other cells, side by side, whether organizations that work here had moved there, which a backup
 * of the time before does not know. Those that did stop working here; the others work when all cells have
 * answered, or after ten minutes. Organizations that two cells have because one was split moved as often in
 * both. Throws if a cell does not answer.
 */
export async function stopMovedAway(ctx: JobCtx): Promise<void> {
  transact(ctx.db, (tx) => {
    if (frozenIn(tx).length > 0)
      enqueue(tx, ctx, ThawAfterRestore, {
        args: {},
        runAtMs: ctx.clock.nowMs() + PATIENCE_MS,
        uniqueKey: `thaw-after-restore:${ctx.jobId}`,
      })
  })
  const peers = ctx.settings.cells?.peers ?? []
  const found: Found = new Map()
  const answers = await Promise.allSettled(peers.map((cell) => askAboutAll(ctx, cell, found)))
  for (const [id, whereabouts] of found) {
    believe(ctx, id, whereabouts)
    await yieldToEventLoop()
  }
  for (const answer of answers) if (answer.status === 'rejected') throw answer.reason
  await thaw(ctx)
}

/** Lets organizations work although a cell has not answered, and notifies the super admins. */
export async function thawUnanswered(ctx: Ctx): Promise<void> {
  transact(ctx.db, (tx) => {
    const count = frozenIn(tx).length
    if (count === 0) return
    notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
      kind: 'organization_moved',
      severity: 'critical',
      title: 'Servers did not answer after a restore',
      body:
        `${count} organizations work here again although not all servers in \`CELLS\` have answered. One ` +
        'that moved to such a server after the backup was made works twice until it answers.',
    })
  })
  await thaw(ctx)
}

/** Schedules that in the caller's transaction, because nobody asks any more. */
export const thawSoonIn = (tx: Tx, ctx: Ctx): void =>
  void enqueue(tx, systemCtx(ctx, INSTALLATION), ThawAfterRestore, { args: {} })

/** Returns the organizations that are frozen although no move of them has begun. */
const frozenIn = (tx: Tx): OrganizationRow[] =>
  tx
    .select()
    .from(organizations)
    .where(
      and(
        eq(organizations.state, 'moving'),
        notInArray(
          organizations.id,
          tx
            .select({ id: organizationMoves.organizationId })
            .from(organizationMoves)
            .where(
              acrossOrganizations(
                'these organizations are in a move',
                and(isNull(organizationMoves.thawedAtMs), ne(organizationMoves.step, 'freezing')),
              ),
            ),
        ),
      ),
    )
    .all()

/** Lets the organizations work, one after the other, and processes the webhooks that were kept for them. */
async function thaw(ctx: Ctx): Promise<void> {
  const frozen = transact(ctx.db, frozenIn)
  for (const { id } of frozen) {
    transact(ctx.db, (tx) => {
      if (findOrganization(ctx, id)?.state !== 'moving') return
      setOrganizationStateIn(tx, id, { state: 'active', deletesAtMs: null })
      resumeWorkIn(tx, systemCtx(ctx, id))
    })
    await yieldToEventLoop()
  }
  if (frozen.length > 0) ctx.log.info({ organizations: frozen.length }, 'organizations work again')
}

/** Where organizations are, by their IDs; of several answers that with the most moves. */
type Found = Map<string, Whereabouts & { asked: string }>

async function askAboutAll(ctx: JobCtx, cell: string, found: Found): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const rows = workingAfter(ctx, after)
    for (let first = 0; first < rows.length; first += AT_ONCE)
      await Promise.all(
        rows.slice(first, first + AT_ONCE).map((row) => askAboutOne(ctx, row, { cell, found })),
      )
    after = rows.length < PAGE ? null : (rows.at(-1)?.id ?? null)
  }
}

/** Asks a cell about an organization, and keeps what it answers if it moved more often than is known. */
async function askAboutOne(
  ctx: JobCtx,
  { id, moves }: OrganizationRow,
  { cell, found }: { cell: string; found: Found },
): Promise<void> {
  ctx.signal.throwIfAborted()
  const question = { id: ctx.ids.next(), organizationId: id, target: cell }
  const answer = await askTarget(ctx, question, { action: 'ask' })
  const at = whereaboutsFrom(cell, answer)
  if (at && at.moves > moves && isBetter(at, found.get(id))) found.set(id, { ...at, asked: cell })
}

/**
 * Whether an answer counts before another one. With as many moves, a cell that says that the organization
 * came back here does: one that imported a test copy from a file only knows of its copy.
 */
const isBetter = (at: Whereabouts, other: Whereabouts | undefined): boolean =>
  other === undefined || at.moves > other.moves || (at.moves === other.moves && at.isHere)

const workingAfter = ({ db }: JobCtx, after: string): OrganizationRow[] =>
  db.orm
    .select()
    .from(organizations)
    .where(and(inArray(organizations.state, ['active', 'moving']), gt(organizations.id, after)))
    .orderBy(asc(organizations.id))
    .limit(PAGE)
    .all()

/** Stops an organization that is in another cell. Of one that came back, it only counts the moves. */
function believe(
  ctx: JobCtx,
  organizationId: string,
  { asked, cell, isHere, moves }: Whereabouts & { asked: string },
): void {
  transact(ctx.db, (tx) => {
    const row = findOrganization(ctx, organizationId)
    if (row === null || !['active', 'moving'].includes(row.state) || row.moves >= moves) return
    if (isHere) return setMovesIn(tx, organizationId, moves)
    const move = findNewestMove(ctx, organizationId)
    const isOpen = move?.finishedAtMs === null
    if (isOpen && move.target === asked && !isWaiting(move, row)) return // it decides by itself
    if (isOpen && move.step !== 'aborting')
      endMoveIn(tx, ctx, move, {
        error: `It works at ${cell} already.`,
        errorCode: 'moved_before',
      })
    stopHereIn(tx, ctx, row, {
      ...{ cell, moves },
      reason: 'it moved there after the backup was made that this server was restored from',
    })
  })
}

/** Ends a move of an organization that works elsewhere. A target that may have a copy discards it. */
function endMoveIn(tx: Tx, ctx: Ctx, move: MoveRow, problem: MoveProblem): void {
  const nowMs = ctx.clock.nowMs()
  const ends = { ...problem, thawedAtMs: nowMs }
  if (move.step === 'freezing')
    enterStepIn(tx, ctx, move, 'aborted', { ...ends, finishedAtMs: nowMs })
  else enterStepIn(tx, ctx, move, 'aborting', ends)
}

/** Whether a move has not begun, or was aborted while its organization is frozen because of the restore. */
const isWaiting = ({ step }: MoveRow, { state }: OrganizationRow): boolean =>
  step === 'freezing' || (step === 'aborting' && state === 'moving')
