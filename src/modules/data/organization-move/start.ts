import { ConflictError, InvalidError, NotFoundError, UnavailableError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import { recordAudit } from '../../organization/audit/record'
import { requireFreshLogin } from '../../organization/auth/fresh-login'
import { isArchiving } from '../organization-archive/state'
import { findOrganization, type OrganizationRow } from '../../organization/organizations/service'
import { hasOpenRequests } from '../privacy/requests'
import { moveView, type MoveView } from './model'
import { schemaOf, type MoveAnswer } from './protocol'
import { findMove, hasOpenMove, isBeingUndone, newestMove } from './queries'
import { askTarget, MoveRefused, TargetBusy } from './source/ask-target'
import { abortMoveIn, enqueueMoveIn } from './source/change'
import type { MoveProblem } from './source/problem'
import { isAbortable } from './source/run'
import { organizationMoves, type MoveRow } from './table'

/**
 * Starts the move of an organization to another cell. Throws ForbiddenError `fresh_login_required`
 * and the errors of `startMoveTo`.
 */
export function startMove(ctx: Ctx, organizationId: string, to: string): Promise<MoveView> {
  requireFreshLogin(ctx)
  return startMoveTo(ctx, organizationId, to)
}

/**
 * Asks the other cell whether it takes an organization, and schedules the move. Throws NotFoundError,
 * InvalidError for an address that is none of CELLS, ConflictError `same_cell`, `move_running`,
 * `organization_leaving`, `organization_busy`, `moved`, `target_older`, `organization_exists`,
 * `import_running` or `cell_refused`, and UnavailableError if the cell does not answer.
 */
export async function startMoveTo(ctx: Ctx, organizationId: string, to: string): Promise<MoveView> {
  const target = requirePeer(ctx, to)
  requireMovable(ctx, organizationId, target)
  const move = { organizationId, id: ctx.ids.next(), target }
  requireNotOlder(ctx, await offer(ctx, move))
  return transact(ctx.db, (tx) => {
    const { name } = requireMovable(ctx, organizationId, target)
    const nowMs = ctx.clock.nowMs()
    const row = tx
      .insert(organizationMoves)
      .values({
        ...move,
        ...{ step: 'freezing', stepAtMs: nowMs, createdAtMs: nowMs, createdBy: ctx.actor.userId },
      })
      .returning()
      .get()
    enqueueMoveIn(tx, ctx, row)
    // In the organization itself: the caller may be in another one, where its name must not be.
    recordAudit(
      tx,
      { ...ctx, organizationId },
      {
        action: 'move_started',
        resourceType: 'organization',
        resourceId: organizationId,
        resourceName: name,
        changes: [{ field: 'to', old_value: null, new_value: target }],
      },
    )
    return moveView(row)
  })
}

/** Returns the address as it stands in CELLS. Throws InvalidError and ConflictError `same_cell`. */
function requirePeer({ settings: { cells } }: Ctx, to: string): string {
  const refusal = (message: string): InvalidError =>
    new InvalidError(`\`to\` ${message}.`, {
      code: 'invalid_input',
      errors: [{ path: 'body.to', message }],
    })
  if (cells === null) throw refusal('cannot be used: this server has no `CELLS`')
  const address = to.replace(/\/+$/, '')
  if (address === cells.own)
    throw new ConflictError('The organization is on this server.', { code: 'same_cell' })
  if (!cells.peers.includes(address)) throw refusal('is none of the addresses in `CELLS`')
  return address
}

function requireMovable(ctx: Ctx, organizationId: string, target: string): OrganizationRow {
  const row = findOrganization(ctx, organizationId)
  if (row === null || row.state === 'erasing') throw new NotFoundError('Organization')
  if (row.state === 'moved')
    throw new ConflictError(`This organization has moved to ${row.movedTo}.`, {
      code: 'moved',
      details: { address: row.movedTo },
    })
  if (row.state === 'moving' || hasOpenMove(ctx, organizationId))
    throw new ConflictError('The organization is being moved already.', { code: 'move_running' })
  if (isBeingUndone(ctx, { organizationId, target }))
    throw new ConflictError('The other server still undoes an earlier move. Try again soon.', {
      code: 'move_running',
    })
  if (row.state !== 'active')
    throw new ConflictError('The organization is being deleted or imported.', {
      code: 'organization_leaving',
    })
  const there = { db: ctx.db, organizationId }
  if (isArchiving(there) || hasOpenRequests(there))
    throw new ConflictError(
      'Data of the organization is being exported or erased. Try again when that is done.',
      { code: 'organization_busy' },
    )
  return row
}

/** Codes of the target that are passed on as they are. */
const PASSED_ON = new Set(['organization_exists', 'import_running'])

async function offer(
  ctx: Ctx,
  move: Pick<MoveRow, 'id' | 'organizationId' | 'target'>,
): Promise<MoveAnswer> {
  try {
    return await askTarget(ctx, move, { action: 'offer' })
  } catch (error) {
    if (error instanceof MoveRefused)
      throw new ConflictError(error.message, {
        code: PASSED_ON.has(error.code) ? error.code : 'cell_refused',
      })
    const reason = error instanceof Error ? error.message : ''
    if (error instanceof TargetBusy) throw new ConflictError(reason, { code: 'import_running' })
    throw new UnavailableError(`${reason} Nothing was changed.`, 30)
  }
}

/** Throws ConflictError if the target could not read the archive. */
function requireNotOlder(ctx: Ctx, { version, schema }: MoveAnswer): void {
  if (isOlder(version, ctx.version) || (version === ctx.version && schema < schemaOf(ctx)))
    throw new ConflictError(
      `The other server has the version ${version}, and this one ${ctx.version}. Update it first.`,
      { code: 'target_older' },
    )
}

function isOlder(one: string, other: string): boolean {
  const [left, right] = [one, other].map((version) => version.split(/[.+-]/).map(Number))
  for (let part = 0; part < 3; part += 1) {
    const difference = (left?.[part] ?? 0) - (right?.[part] ?? 0)
    if (difference !== 0) return difference < 0
  }
  return false
}

/** Why a move ended that a person aborted. */
export const ABORTED: MoveProblem = {
  error: 'It was aborted by a person.',
  errorCode: 'by_person',
}

/** Aborts the newest move of an organization. Throws NotFoundError and ConflictError `too_late`. */
export function abortMove(ctx: Ctx, organizationId: string): MoveView {
  return transact(ctx.db, (tx) => {
    const move = newestMove(ctx, organizationId)
    if (!isAbortable(move))
      throw new ConflictError(
        move.step === 'activating' || move.step === 'completed'
          ? 'The other server has taken over, or is about to.'
          : 'The move was aborted before.',
        { code: 'too_late' },
      )
    abortMoveIn(tx, ctx, move, ABORTED)
    return moveView(findMove(ctx, move) ?? move)
  })
}
