import { and, asc, eq, gt, inArray, isNull, ne, notInArray } from 'drizzle-orm'

import { MINUTE_MS } from '../../../lib/clock'
import {
  acrossOrganizations,
  INSTALLATION,
  systemCtx,
  type Ctx,
  type Deps,
  type JobCtx,
} from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import { yieldToEventLoop } from '../../../infra/event-loop'
import { enqueue } from '../../../infra/jobs/enqueue'
import { resumeWorkIn, stopWorkingIn } from '../../accounts/arrive'
import {
  findOrganization,
  freezeAllIn,
  setOrganizationStateIn,
  type OrganizationRow,
} from '../../organizations/service'
import { organizations } from '../../organizations/table'
import { notifySuperAdminsIn } from '../../users/notify-super-admins'
import { AskAfterRestore, ThawAfterRestore } from '../jobs'
import { findNewestMove } from '../queries'
import { stopHereIn } from '../stop-here'
import { organizationMoves, type MoveRow } from '../table'
import { askTarget } from './ask-target'
import { enterStepIn } from './change'

/** Organizations read at once. */
const PAGE = 100

/**
 * Schedules the question about the organizations of a restored database. With `freezes`, nothing is
 * changed or sent in them before the other cells have answered, and webhooks are passed on to the other
 * cells and kept here. Returns how many are frozen.
 */
export const askAfterRestore = (
  deps: Pick<Deps, 'db' | 'clock' | 'ids'>,
  { freezes }: { freezes: boolean },
): number =>
  transact(deps.db, (tx) => {
    enqueue(tx, systemCtx(deps as Deps, INSTALLATION), AskAfterRestore, { args: {} }) // only these parts are used
    if (!freezes) return 0
    const frozen = freezeAllIn(tx)
    for (const id of frozen) stopWorkingIn(tx, systemCtx(deps as Deps, id))
    return frozen.length
  })

/** How long organizations stay frozen while a cell does not answer. */
const PATIENCE_MS = 10 * MINUTE_MS

/**
 * Asks the other cells whether organizations that work here had moved there, which a backup of the time
 * before does not know. Those that did stop working here; the others work when all cells have answered, or
 * ten minutes after one did not. Organizations that two cells have because one was split did not move.
 * Throws if a cell does not answer.
 */
export async function stopMovedAway(ctx: JobCtx): Promise<void> {
  const silent: Error[] = []
  for (const cell of ctx.settings.cells?.peers ?? [])
    await askAboutAll(ctx, cell).catch((error: Error) => void silent.push(error))
  const [first] = silent
  if (!first) return thaw(ctx)
  transact(ctx.db, (tx) => {
    if (frozenIn(tx).length > 0)
      enqueue(tx, ctx, ThawAfterRestore, {
        args: {},
        runAtMs: ctx.clock.nowMs() + PATIENCE_MS,
        uniqueKey: `thaw-after-restore:${ctx.jobId}`,
      })
  })
  throw first
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

async function askAboutAll(ctx: JobCtx, cell: string): Promise<void> {
  for (let after: string | null = ''; after !== null;) {
    const rows = workingAfter(ctx, after)
    for (const { id } of rows) {
      ctx.signal.throwIfAborted()
      const question = { id: ctx.ids.next(), organizationId: id, target: cell }
      const answer = await askTarget(ctx, question, { action: 'ask' })
      if (answer.place === 'here' && answer.came_from_asker) stopHere(ctx, id, cell)
    }
    after = rows.length < PAGE ? null : (rows.at(-1)?.id ?? null)
  }
}

const workingAfter = ({ db }: JobCtx, after: string): OrganizationRow[] =>
  db.orm
    .select()
    .from(organizations)
    .where(and(inArray(organizations.state, ['active', 'moving']), gt(organizations.id, after)))
    .orderBy(asc(organizations.id))
    .limit(PAGE)
    .all()

function stopHere(ctx: JobCtx, organizationId: string, cell: string): void {
  transact(ctx.db, (tx) => {
    const row = findOrganization(ctx, organizationId)
    if (row === null || !['active', 'moving'].includes(row.state)) return
    const move = findNewestMove(ctx, organizationId)
    if (move?.finishedAtMs === null && !isWaiting(move, row)) return // it decides by itself
    if (move?.step === 'freezing') {
      const nowMs = ctx.clock.nowMs()
      enterStepIn(tx, ctx, move, 'aborted', {
        error: `It works at ${cell} already.`,
        ...{ thawedAtMs: nowMs, finishedAtMs: nowMs },
      })
    }
    stopHereIn(tx, ctx, row, {
      cell,
      reason: 'it moved there after the backup was made that this server was restored from',
    })
  })
}

/** Whether a move has not begun, or was aborted while its organization is frozen because of the restore. */
const isWaiting = ({ step }: MoveRow, { state }: OrganizationRow): boolean =>
  step === 'freezing' || (step === 'aborting' && state === 'moving')
