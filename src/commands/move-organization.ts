import type { Config } from '../config'
import { AppError } from '../lib/errors'
import { normalizeId, isUuid } from '../lib/ids'
import {
  abortNamedMove,
  eraseNamedCopy,
  moveAndWatch,
  takeOverNamed,
} from '../modules/data/organization-move/cli'
import type { MoveView } from '../modules/data/organization-move/model'
import { requireKnown } from '../secrets'
import { withProgram } from './database'
import { lockOrNull } from './import-organization'
import { print, requiredText, UsageError, type Invocation } from './command'

/**
 * Moves an organization to another cell and shows how far it is, aborts its move, takes over one that
 * moves here, or erases the copy of one that has moved. The running server does the work.
 */
export async function moveOrganization(invocation: Invocation, id: string): Promise<void> {
  const { flags, isJson } = invocation
  if (!isUuid(id)) throw new UsageError('organization move needs the ID of an organization.')
  const organizationId = normalizeId(id)
  const isForced = flags['force'] === true
  const given = ['to', 'abort', 'take-over', 'erase-copy'].filter(
    (name) => flags[name] !== undefined,
  )
  if (given.length > 1)
    throw new UsageError('Use one of --to, --abort, --take-over and --erase-copy.')
  const [verb] = given
  if (verb === 'take-over') {
    if (!isForced) throw new UsageError(`--take-over needs --force: it states that ${LOST}`)
    return takeOverHere(invocation, organizationId)
  }
  if (verb === 'abort') return abortHere(invocation, organizationId, isForced)
  if (verb === 'erase-copy') return eraseHere(invocation, organizationId, isForced)
  if (isForced) throw new UsageError('--force is for --abort, --take-over and --erase-copy.')
  const to = requiredText(flags, 'to')
  const view = await withProgram(invocation, ({ http }, settings) => {
    requireServer(settings)
    return moveAndWatch(http, { organizationId, to }, (move) => {
      if (!isJson) print(progressOf(move))
    })
  })
  if (isJson) print(JSON.stringify(view))
  if (view.step !== 'completed')
    throw new AppError(409, view.error ?? 'The move was aborted.', { code: 'move_aborted' })
}

/** What --force states. */
const LOST = 'the other server is lost for good and never works with this organization again.'

async function abortHere(
  invocation: Invocation,
  organizationId: string,
  isForced: boolean,
): Promise<void> {
  const view = await withProgram(invocation, ({ http }, settings) => {
    requireServer(settings)
    return abortNamedMove(http, organizationId, { isForced })
  })
  if (invocation.isJson) return print(JSON.stringify(view))
  print('The organization works here. The other server discards its copy.')
  if (view.forced_at !== null) print(`You have stated that ${LOST}`)
}

async function takeOverHere(invocation: Invocation, organizationId: string): Promise<void> {
  const cell = await withProgram(invocation, ({ http }, settings) => {
    requireServer(settings)
    return takeOverNamed(http, organizationId)
  })
  if (invocation.isJson) return print(JSON.stringify({ id: organizationId, lost_cell: cell }))
  print(`The organization works here in a moment. You have stated that ${LOST}`)
}

async function eraseHere(
  invocation: Invocation,
  organizationId: string,
  isForced: boolean,
): Promise<void> {
  await withProgram(invocation, ({ http }, settings) => {
    requireServer(settings)
    return eraseNamedCopy(http, organizationId, { isForced })
  })
  if (invocation.isJson) return print(JSON.stringify({ id: organizationId }))
  print('The copy is being erased.')
}

/**
 * Throws UsageError if no server runs, because it does the work, and KeyError if this command cannot ask
 * the other cell.
 */
function requireServer(settings: Config): void {
  requireKnown(settings, { path: settings.dataDir }, 'CELL_SECRET')
  const lock = lockOrNull(settings.dataDir)
  if (lock === null) return
  lock.release()
  throw new UsageError('Start the server first: it moves the organization.')
}

const MIB = 1_024 * 1_024

/** Steps whose error is the last line of the command, or not worth one. */
const SAID_LATER: ReadonlySet<MoveView['step']> = new Set(['completed', 'aborting', 'aborted'])

function progressOf({ step, to, error, ...move }: MoveView): string {
  const { archive_bytes: bytes, sent_bytes: sent, rows_done: done, rows_total: total } = move
  const details: Partial<Record<MoveView['step'], string>> = {
    freezing: `to ${to}`,
    uploading: `${(sent / MIB).toFixed(1)} of ${((bytes ?? 0) / MIB).toFixed(1)} MiB`,
    importing: `${done} of ${total} rows`,
    completed: `The organization works at ${to}. Print the maps of all cells again.`,
  }
  const trouble = error === null || SAID_LATER.has(step) ? '' : ` (${error})`
  return `${step}${details[step] === undefined ? '' : `: ${details[step]}`}${trouble}`
}
