import { rm } from 'node:fs/promises'

import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../../lib/clock'
import { INSTALLATION, systemCtx, type JobCtx } from '../../../../infra/ctx'
import { transact, type Tx } from '../../../../infra/db/transact'
import { stopWorkingIn } from '../../../channel/accounts/arrive'
import { passFailedOnSoonIn } from '../../../channel/inbound/cells/pass-failed-on'
import { isPassingOn } from '../../../channel/inbound/cells/pass-on'
import type { ArchiveManifest } from '../../organization-archive/archive-format'
import { isArchiving } from '../../organization-archive/state'
import { nameOfOrganization } from '../../../organization/notifications/organization-names'
import {
  findOrganization,
  markMovedIn,
  setMovesIn,
  setOrganizationStateIn,
} from '../../../organization/organizations/service'
import { hasOpenRequests } from '../../privacy/requests'
import { notifySuperAdminsIn } from '../../../organization/users/notify-super-admins'
import { archivePathOf, KEPT_MS, type MoveAnswer } from '../protocol'
import type { MoveRow, MoveStep } from '../table'
import { askTarget, discardThere, MoveRefused, orderLastStep, TargetBusy } from './ask-target'
import { changeMoveIn, enterStep, enterStepIn, giveUpMoveIn } from './change'
import { obstacleOf } from './drain'
import { exportForMove } from './export'
import type { MoveProblem } from './problem'
import { hasLostArchive, uploadArchive } from './upload'
import { whereaboutsFrom, type Whereabouts } from './whereabouts'

/** A step that has not ended yet is taken again after this time. */
export interface Again {
  againInMs: number
}

declare module '../../../../infra/ctx' {
  interface Deps {
    /** When this process first knew that an organization is frozen, by the ID of its move. */
    frozenSince: Map<string, number>
  }
}

/** One step of a move. It may be taken again at any time: after a kill, or to look whether it has ended. */
interface Step {
  /** Whether the move can still be aborted: the target has not been told to take over. */
  isAbortable: boolean
  /**
   * Does the work and enters the next step, or returns when to try again. Throws MoveRefused if the
   * move cannot go on, MoveChanged if it was aborted meanwhile, and other errors for what may pass.
   */
  take: (ctx: JobCtx, move: MoveRow) => Promise<Again | void> | Again | void
}

/**
 * The steps of a move in their order. A step is stored before it is taken, so a process that is killed
 * takes it again. The target decides in one transaction whether the organization works there; this
 * cell gives it up only after it has heard of that.
 */
export const STEPS: Record<Exclude<MoveStep, 'completed' | 'aborted'>, Step> = {
  freezing: { isAbortable: true, take: freeze },
  draining: { isAbortable: true, take: drain },
  exporting: { isAbortable: true, take: exportRows },
  uploading: { isAbortable: true, take: upload },
  importing: { isAbortable: true, take: awaitImport },
  activating: { isAbortable: false, take: handOver },
  aborting: { isAbortable: false, take: discard },
}

/** How long an organization waits for what is under way. */
const DRAINING_MS = MINUTE_MS

/** How often steps look whether something has ended. */
const LOOKING_MS = 50
const POLLING_MS = 200

/** How often an organization that is not frozen yet asks whether the target is free. */
const WAITING_MS = 2 * SECOND_MS

/** Bytes of the database for a byte of rows in an archive: they are in indexes, too. */
const STORED_PER_BYTE = 2

/**
 * Refuses changes from now on: they would stay behind. Before that, the target and the writer of archives
 * here must be free, and are kept for the move. After a restore, it begins when the other cells have answered
 * that the organization did not move there before.
 */
async function freeze(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  if (findOrganization(ctx, move.organizationId)?.state === 'moving')
    return wait(ctx, move, WAITING_MS, {
      error: 'The other servers are asked where the organization is, because of a restore.',
      errorCode: 'after_restore',
    })
  const obstacle = await targetBusy(ctx, move)
  if (obstacle !== null) {
    if (ctx.clock.nowMs() - move.stepAtMs > DAY_MS)
      throw new MoveRefused(obstacle, 'import_running')
    return wait(ctx, move, WAITING_MS, { error: obstacle, errorCode: 'import_running' })
  }
  if (!ctx.archives.reserve(move.id))
    return wait(ctx, move, POLLING_MS, {
      error: 'This server writes another archive.',
      errorCode: 'archive_busy',
    })
  transact(ctx.db, (tx) => {
    const there = systemCtx(ctx, move.organizationId)
    if (findOrganization(ctx, move.organizationId)?.state !== 'active')
      throw new MoveRefused('The organization is being deleted.', 'organization_deleting')
    if (isArchiving(there) || hasOpenRequests(there))
      throw new MoveRefused(
        'Data of the organization is being exported or erased. Try again when that is done.',
        'organization_busy',
      )
    setOrganizationStateIn(tx, move.organizationId, { state: 'moving', deletesAtMs: null })
    enterStepIn(tx, ctx, move, 'draining', { frozenAtMs: ctx.clock.nowMs() })
  })
  return undefined
}

/** Stores what a move waits for, unless it is known. Throws MoveChanged. */
function wait(ctx: JobCtx, move: MoveRow, againInMs: number, problem: MoveProblem): Again {
  const isKnown = move.error === problem.error && move.errorCode === problem.errorCode
  if (!isKnown || move.failures > 0)
    transact(ctx.db, (tx) => changeMoveIn(tx, ctx, move, { ...problem, failures: 0 }))
  return { againInMs }
}

/** Asks the target to keep itself free. Returns what it imports instead, as a sentence, or `null`. */
async function targetBusy(ctx: JobCtx, move: MoveRow): Promise<string | null> {
  try {
    await askTarget(ctx, move, { action: 'prepare', room: 0 })
    return null
  } catch (error) {
    if (error instanceof TargetBusy) return error.message
    throw error
  }
}

/**
 * Waits until what was under way has ended, and takes the numbers out of use in the same transaction:
 * from then on nothing here touches the organization, and its webhooks are passed on to the target,
 * which keeps them.
 */
function drain(ctx: JobCtx, move: MoveRow): Again | void {
  const there = systemCtx(ctx, move.organizationId)
  const frozenMs = frozenSince(ctx, move)
  const obstacle = transact(ctx.db, (tx) => {
    const found = obstacleOf(there, frozenMs)
    if (found !== null) return found
    stopWorkingIn(tx, there)
    enterStepIn(tx, ctx, move, 'exporting')
    return null
  })
  if (obstacle === null) return undefined
  if (ctx.clock.nowMs() - move.stepAtMs > DRAINING_MS)
    throw new MoveRefused(`${obstacle} Try again when it has ended.`, 'organization_busy')
  return { againInMs: LOOKING_MS }
}

/** Returns when this process first knew that the organization is frozen, by `performance.now()`. */
function frozenSince(ctx: JobCtx, { id }: MoveRow): number {
  const known = ctx.frozenSince.get(id) ?? performance.now()
  ctx.frozenSince.set(id, known)
  return known
}

/** Writes the archive. */
async function exportRows(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  ctx.frozenSince.delete(move.id)
  if (!ctx.archives.reserve(move.id)) return { againInMs: POLLING_MS }
  const { sizeBytes, manifest } = await exportForMove(ctx, move)
  enterStep(ctx, move, 'uploading', {
    archiveBytes: sizeBytes,
    roomBytes: sizeBytes + unpackedBytesOf(manifest),
    counts: JSON.stringify(
      Object.fromEntries(
        manifest.parts
          .filter(({ kind }) => kind === 'carried')
          .map(({ table, rows }) => [table, rows]),
      ),
    ),
  })
  return undefined
}

/** Returns about how much the rows and files of an archive take when they are stored. */
const unpackedBytesOf = ({ parts, files }: ArchiveManifest): number =>
  parts.reduce((sum, { bytes }) => sum + bytes * STORED_PER_BYTE, files.bytes)

/** Sends the archive. */
async function upload(ctx: JobCtx, move: MoveRow): Promise<void> {
  await uploadArchive(ctx, move)
  enterStep(ctx, move, 'importing', { sentBytes: move.archiveBytes ?? 0 })
}

/** Lets the target import the archive up to the last step, and compares the counts of both sides. */
async function awaitImport(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  const bytes = move.archiveBytes ?? 0
  const answer = await askTarget(ctx, move, { action: 'import', bytes })
  const { state, rows_done: rowsDone, rows_total: rowsTotal } = answer
  if (state === 'receiving' && answer.bytes < bytes) return enterStep(ctx, move, 'uploading')
  requireAlive(answer)
  // It is complete if this cell was restored from a backup of the time before.
  const isReady = state === 'waiting' || state === 'completed'
  transact(ctx.db, (tx) => {
    if (isReady) {
      if (state === 'waiting') requireSameCounts(move, answer)
      enterStepIn(tx, ctx, move, 'activating', { rowsDone, rowsTotal })
    } else
      changeMoveIn(tx, ctx, move, {
        rowsDone,
        rowsTotal,
        failures: 0,
        error: null,
        errorCode: null,
      })
  })
  return isReady ? undefined : { againInMs: POLLING_MS }
}

/** Throws MoveRefused if the target has ended the import. */
function requireAlive({ state, error }: MoveAnswer): void {
  if (state === 'failed' || state === 'cancelled')
    throw new MoveRefused(
      `The import there has the state ${state}. ${error ?? ''}`.trim(),
      `import_${state}`,
    )
}

function requireSameCounts({ counts }: MoveRow, answer: MoveAnswer): void {
  const sent = JSON.parse(counts ?? '{}') as Record<string, number>
  const different = Object.keys(sent).find((table) => sent[table] !== answer.counts[table])
  if (different !== undefined)
    throw new MoveRefused(
      `The table ${different} has ${answer.counts[different] ?? 0} rows there and ${sent[different]} here.`,
      'counts_differ',
    )
}

/**
 * Lets the target take over. What it answers is final: either the organization works there, or it
 * never will, and works here again.
 */
async function handOver(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  const answer = await orderLastStep(ctx, move)
  const { state, error } = answer
  if (hasLostArchive(move, answer)) await uploadArchive(ctx, move)
  if (isUnderWay(state)) return { againInMs: LOOKING_MS }
  transact(ctx.db, (tx) => {
    const moves = findOrganization(ctx, move.organizationId)?.moves ?? 0
    const at = whereaboutsAfter({ ...move, moves }, answer)
    if (at === null || at.moves <= moves)
      return giveUpMoveIn(tx, ctx, move, {
        error: error ?? stateThere(state),
        errorCode: state === 'receiving' ? 'cell_restored' : 'import_failed',
      })
    if (!at.isHere) return leaveIn(tx, ctx, move, at)
    setMovesIn(tx, move.organizationId, at.moves)
    giveUpMoveIn(tx, ctx, move, {
      error: 'It has moved and come back since the backup was made.',
      errorCode: 'came_back',
    })
  })
  return undefined
}

/**
 * Returns where an organization is after the last step of its move. A backup of the time of an earlier move
 * knows nothing of later ones; and the organization may have been erased there meanwhile.
 */
function whereaboutsAfter(
  { target, moves }: Pick<MoveRow, 'target'> & { moves: number },
  answer: MoveAnswer,
): Whereabouts | null {
  const wasThere = answer.state === 'completed'
  const there = { cell: target, isHere: false, moves: moves + 1 }
  return whereaboutsFrom(target, answer) ?? (wasThere ? there : null)
}

const isUnderWay = (state: MoveAnswer['state']): boolean =>
  state === 'waiting' || state === 'running' || state === 'checking'

/** Tells what became of a move in the last step, as a sentence. */
const stateThere = (state: MoveAnswer['state']): string =>
  state === 'receiving'
    ? 'The other server has not got all of it, because one of them was restored. Move it again.'
    : `The import there has the state ${state}.`

/**
 * Leaves the organization to the cell that has it: the target, or one to which it went on from there. It is
 * erased here after 30 days. The archive is kept for a day, for a target that loses the last step.
 */
function leaveIn(tx: Tx, ctx: JobCtx, move: MoveRow, { cell, moves }: Whereabouts): void {
  const nowMs = ctx.clock.nowMs()
  enterStepIn(tx, ctx, move, 'completed', { thawedAtMs: nowMs, finishedAtMs: nowMs })
  markMovedIn(tx, move.organizationId, { movedTo: cell, moves, deletesAtMs: nowMs + KEPT_MS })
  passFailedOnSoonIn(tx, ctx, { organizationId: move.organizationId, cell })
  notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
    kind: 'organization_moved',
    severity: 'info',
    title: 'Organization moved',
    body: `${nameOfOrganization(move.organizationId)} works at ${cell} now.`,
  })
}

/**
 * Lets the target undo what it has of a move that was aborted, as soon as it can be reached. It ends
 * when the target has passed back all deliveries that it kept.
 */
async function discard(ctx: JobCtx, move: MoveRow): Promise<Again | void> {
  // What arrives there after this is not passed on any more, because the numbers work here.
  if (isPassingOn(ctx, move.target, move.thawedAtMs ?? 0)) return { againInMs: LOOKING_MS }
  await rm(archivePathOf(ctx, move.id), { force: true })
  const answer = await discardThere(ctx, move).catch((error: unknown) => {
    // A server that is no longer one of CELLS is not told.
    if (!(error instanceof MoveRefused && error.code === 'unknown_cell')) throw error
    return null
  })
  if (answer?.is_keeping === true) return { againInMs: SECOND_MS }
  transact(ctx.db, (tx) => {
    changeMoveIn(tx, ctx, move, { step: 'aborted', finishedAtMs: ctx.clock.nowMs() })
    const works = findOrganization(ctx, move.organizationId)?.state === 'active'
    if (
      answer?.state === 'completed' &&
      (answer.place === 'here' || move.forcedAtMs !== null) &&
      works
    )
      warnOfTwoIn(tx, ctx, move)
  })
  return undefined
}

/** Tells the super admins that both cells had taken the organization, as only a statement allows. */
const warnOfTwoIn = (tx: Tx, ctx: JobCtx, move: MoveRow): void =>
  notifySuperAdminsIn(tx, systemCtx(ctx, INSTALLATION), {
    kind: 'organization_move_aborted',
    severity: 'critical',
    title: 'Organization worked at two servers',
    body:
      `${nameOfOrganization(move.organizationId)} works here, and ${move.target} had ` +
      (move.forcedAtMs === null
        ? 'taken it over, too. Delete it at one of them.'
        : 'taken it over before it was lost. It has stopped there now. What came in there is kept there for 30 days.'),
  })
