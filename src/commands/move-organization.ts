import { AppError } from '../lib/errors'
import { normalizeId, isUuid } from '../lib/ids'
import { abortNamedMove, moveAndWatch } from '../modules/organization-move/cli'
import type { MoveView } from '../modules/organization-move/model'
import { withProgram } from './database'
import { lockOrNull } from './import-organization'
import { print, requiredText, UsageError, type Invocation } from './command'

/**
 * Moves an organization to another cell and shows how far it is, or aborts its move. The running
 * server does the work.
 */
export async function moveOrganization(invocation: Invocation, id: string): Promise<void> {
  const { flags, isJson } = invocation
  if (!isUuid(id)) throw new UsageError('organization move needs the ID of an organization')
  const organizationId = normalizeId(id)
  const isAbort = flags['abort'] === true
  if (isAbort && flags['to'] !== undefined) throw new UsageError('--abort takes no --to')
  const to = isAbort ? '' : requiredText(flags, 'to')
  const view = await withProgram(invocation, ({ http }, settings) => {
    requireServer(settings.dataDir)
    if (isAbort) return abortNamedMove(http, organizationId)
    return moveAndWatch(http, { organizationId, to }, (move) => {
      if (!isJson) print(progressOf(move))
    })
  })
  if (isJson) print(JSON.stringify(view))
  else if (isAbort) print('The organization works here. The other server discards its copy.')
  if (!isAbort && view.step !== 'completed')
    throw new AppError(409, view.error ?? 'The move was aborted.', { code: 'move_aborted' })
}

/** Throws UsageError if no server runs, because it does the work. */
function requireServer(dataDir: string): void {
  const lock = lockOrNull(dataDir)
  if (lock === null) return
  lock.release()
  throw new UsageError('Start the server first: it moves the organization.')
}

const MIB = 1_024 * 1_024

function progressOf({ step, to, error, ...move }: MoveView): string {
  const { archive_bytes: bytes, sent_bytes: sent, rows_done: done, rows_total: total } = move
  const details: Partial<Record<MoveView['step'], string>> = {
    freezing: `to ${to}`,
    uploading: `${(sent / MIB).toFixed(1)} of ${((bytes ?? 0) / MIB).toFixed(1)} MiB`,
    importing: `${done} of ${total} rows`,
    completed: `The organization works at ${to}. Print the maps of all cells again.`,
  }
  const trouble = error === null || step === 'completed' ? '' : ` (${error})`
  return `${step}${details[step] === undefined ? '' : `: ${details[step]}`}${trouble}`
}
