import type { BotTransfer } from './ports'
import { refusesTransfers, sayClosed } from './closed'
import { textMessage } from './drafts'
import { handOverNotes } from './hand-over-notes'
import type { TraceRow } from './model'
import { settingsText } from './own-words'
import { endSession, write, type Run } from './run'

/** Tells the customer that a person takes over, and transfers, which ends the session. */
export function transferOut(run: Run, transfer: BotTransfer, said: Said): void {
  endSession(run, 'transferred', transfer.source)
  handOver(run, transfer, said)
}

/** What a rule or a node says about its transfer, if anything, and the step that transfers. */
export interface Said {
  text?: string | null
  row: TraceRow
}

/**
 * Ends the session with the out-of-hours message instead of a transfer, if the settings want that now.
 * Reports whether it did.
 */
export function refuseTransfer(run: Run): boolean {
  if (!refusesTransfers(run)) return false
  sayClosed(run, { isAsked: true })
  endSession(run, 'cancelled', 'out_of_hours')
  return true
}

/** Transfers the contact to a person after the session has ended. */
export function handOver(run: Run, transfer: BotTransfer, said: Said): void {
  const { session, ports } = run
  sayTransfer(run, said)
  // Stored first, because a transfer ends every session that is still active.
  if (session) ports.saveSession(session)
  ports.transfer({ ...transfer, notes: transfer.notes ?? handOverNotes(run, transfer) })
}

/** Says that a person takes over, and outside business hours when somebody is there again. */
function sayTransfer(run: Run, { text = null, row }: Said): void {
  const { ports } = run
  const { settings } = ports
  if (text !== null) {
    row.error = ports.refusalOf(textMessage(text))
    if (row.error === null) return write(run, textMessage(text), row)
  }
  if (ports.isOpenNow())
    return write(run, textMessage(settingsText(run, settings.transfer_message, 'transfer')), row)
  // It tells about the closed hours as well.
  ports.markOutOfHours()
  const closed = settingsText(run, settings.transfer_message_closed, 'transferClosed')
  return write(run, textMessage(closed), row)
}
