import type { BotTransfer } from './ports'
import { refusesTransfers, sayClosed } from './closed'
import { endSession, type Run } from './run'

/** Transfers the contact to a person, which ends the session. */
export function transferOut(run: Run, transfer: BotTransfer): void {
  endSession(run, 'transferred', transfer.source)
  handOver(run, transfer)
}

/**
 * Ends the session with the out-of-hours message instead of a transfer, if the settings want that now.
 * Reports whether it did.
 */
export function refuseTransfer(run: Run): boolean {
  if (!refusesTransfers(run)) return false
  sayClosed(run)
  endSession(run, 'cancelled', 'out_of_hours')
  return true
}

/** Transfers the contact to a person after the session has ended. */
export function handOver({ session, ports }: Run, transfer: BotTransfer): void {
  // Stored first, because a transfer ends every session that is still active.
  if (session) ports.saveSession(session)
  ports.transfer(transfer)
}
