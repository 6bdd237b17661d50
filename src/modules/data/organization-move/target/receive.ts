import { constants } from 'node:fs'
import { mkdir, open, rm, stat } from 'node:fs/promises'

import { AppError, ConflictError, InvalidError } from '../../../../lib/errors'
import { typeGuardOf } from '../../../../lib/schema-check'
import { openRequest } from '../../../../infra/cells/signature'
import { INSTALLATION, systemCtx, type Ctx, type Deps } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import { storageProblem } from '../../../../infra/files/store'
import { dropKept, hurryKept } from '../../../channel/inbound/cells/kept'
import { findMoveImport, liveImport } from '../../organization-import/queries'
import {
  completeMoveImportIn,
  discardMoveImport,
  importFromCell,
} from '../../organization-import/start'
import { findOrganization } from '../../../organization/organizations/service'
import {
  archivePathOf,
  KeptFor,
  MoveFacts,
  movesFolder,
  MOVES_PATH,
  passphraseOf,
  schemaOf,
  type MoveAnswer,
} from '../protocol'
import { hasPassedOnDeliveries } from '../source/drain'
import { giveWay } from './give-way'
import { whereaboutsOf } from './whereabouts'
import { requireRoom } from './room'

const fitsFacts = typeGuardOf(MoveFacts)
const isFacts = (value: unknown): value is MoveFacts => fitsFacts(value)
const fitsKeptFor = typeGuardOf(KeptFor)
const isKeptFor = (value: unknown): value is KeptFor => fitsKeptFor(value)

/**
 * Does what the cell of an organization that moves here asks for, and returns how far the move is.
 * Throws UnauthorizedError, InvalidError, ArchiveFault, ConflictError `organization_exists`,
 * `import_running` and `disk_full`, and UnavailableError.
 */
export async function receiveMove(
  deps: Deps,
  { bytes, headers }: { bytes: Uint8Array; headers: Headers },
): Promise<MoveAnswer> {
  const { cells } = deps.settings
  const request = { path: MOVES_PATH, bytes, headers }
  const opened = openRequest(cells?.secret ?? null, request, deps.clock.nowMs())
  const facts = factsOf(opened.facts)
  if (cells?.peers.includes(facts.cell) !== true)
    throw new InvalidError('The sender is none of CELLS.', { code: 'invalid_input' })
  const ctx = systemCtx(deps, INSTALLATION)
  const more = await ACTIONS[facts.action](ctx, facts, opened.body)
  return { ...(await answerOf(ctx, facts)), ...more }
}

function factsOf(text: string): MoveFacts {
  let facts: unknown = null
  try {
    facts = JSON.parse(text)
  } catch {
    // Answered below.
  }
  if (isFacts(facts)) return facts
  throw new InvalidError('The facts about the move are malformed.', { code: 'invalid_input' })
}

type Act = (
  ctx: Ctx,
  facts: MoveFacts,
  bytes: Uint8Array,
) => Promise<Partial<MoveAnswer> | void> | void

const ACTIONS: Record<MoveFacts['action'], Act> = {
  ask: () => undefined,
  offer: requireWelcome,
  async prepare(ctx, facts) {
    const { move, room = 0 } = facts
    const isNew = findMoveImport(ctx, move) === null
    if (isNew) requireWelcome(ctx, facts)
    await requireRoom(ctx, room - (await sizeOf(ctx, move)))
    if (!isNew) return
    requireWelcome(ctx, facts)
    ctx.nextImport.keep(ctx, move)
  },
  store: storePiece,
  import: startImport,
  async activate(ctx, { move, bytes = 0 }) {
    if ((await sizeOf(ctx, move)) >= bytes)
      transact(ctx.db, (tx) => completeMoveImportIn(tx, ctx, move))
  },
  async discard(ctx, { forced = false, ...facts }, bytes) {
    const { move } = facts
    discardMoveImport(ctx, move)
    if (forced) giveWay(ctx, facts)
    ctx.nextImport.release(move)
    if (findMoveImport(ctx, move) === null) await rm(archivePathOf(ctx, move), { force: true })
    if (findMoveImport(ctx, move)?.state === 'completed') return undefined
    const numbers: unknown = JSON.parse(Buffer.from(bytes).toString('utf8') || 'null')
    return isKeptFor(numbers) ? await forget(ctx, numbers, facts.cell) : undefined
  },
}

/** Forgets what came here for the numbers of an organization that stays at a cell. */
async function forget(ctx: Ctx, numbers: KeptFor, cell: string): Promise<Partial<MoveAnswer>> {
  await dropKept(ctx, numbers)
  return { is_keeping: hurryKept(ctx, numbers, cell) || hasPassedOnDeliveries(ctx) }
}

function requireWelcome(ctx: Ctx, { organization, move }: MoveFacts): void {
  if (findOrganization(ctx, organization))
    throw new ConflictError('The organization exists there, or is still being erased.', {
      code: 'organization_exists',
    })
  if (liveImport(ctx) || ctx.nextImport.isKept(ctx, move))
    throw new ConflictError('Another organization is being imported there. Try again later.', {
      code: 'import_running',
    })
}

/** Stores a piece where it belongs, so that a repeated one changes nothing. */
async function storePiece(ctx: Ctx, { move, offset = 0 }: MoveFacts, bytes: Uint8Array) {
  const row = findMoveImport(ctx, move)
  // Read already, or discarded. One that waits may have lost its archive with its machine.
  if (row && row.state !== 'waiting') return
  if (!row) ctx.nextImport.keep(ctx, move)
  if (offset > (await sizeOf(ctx, move))) return // the answer tells what is missing
  try {
    await mkdir(movesFolder(ctx), { recursive: true, mode: 0o700 })
    const handle = await open(archivePathOf(ctx, move), constants.O_RDWR | constants.O_CREAT, 0o600)
    try {
      await handle.write(bytes, 0, bytes.length, offset)
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw storageProblem(error)
  }
}

async function sizeOf(ctx: Ctx, move: string): Promise<number> {
  try {
    return (await stat(archivePathOf(ctx, move))).size
  } catch {
    return 0
  }
}

async function startImport(ctx: Ctx, facts: MoveFacts): Promise<void> {
  const { move: moveId, cell, organization: organizationId, bytes } = facts
  if (findMoveImport(ctx, moveId)) ctx.nextImport.release(moveId)
  if (findMoveImport(ctx, moveId) || (await sizeOf(ctx, moveId)) !== bytes) return
  try {
    await importFromCell(ctx, {
      ...{ moveId, cell, organizationId },
      path: archivePathOf(ctx, moveId),
      passphrase: passphraseOf(ctx, moveId),
    })
  } catch (error) {
    if (error instanceof AppError && error.httpStatus < 409)
      await rm(archivePathOf(ctx, moveId), { force: true })
    throw error
  }
}

async function answerOf(ctx: Ctx, facts: MoveFacts): Promise<MoveAnswer> {
  const { move } = facts
  const about = { version: ctx.version, schema: schemaOf(ctx), ...whereaboutsOf(ctx, facts) }
  const row = findMoveImport(ctx, move)
  if (!row)
    return {
      ...about,
      ...{ state: 'receiving', bytes: await sizeOf(ctx, move), counts: {}, error: null },
      ...{ rows_done: 0, rows_total: 0 },
    }
  return {
    ...about,
    state: row.state,
    bytes: await sizeOf(ctx, move),
    counts: JSON.parse(row.counts) as Record<string, number>,
    ...{ rows_done: row.rowsDone, rows_total: row.rowsTotal },
    error: row.error === null ? null : (JSON.parse(row.error) as { message: string }).message,
  }
}
