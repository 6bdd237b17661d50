import type { BotTransfer } from './ports'
import { endSession, type Run } from './run'

/** Transfers the contact to a person, which ends the session. */
export function transferOut(run: Run, transfer: BotTransfer): void {
  endSession(run, 'transferred', transfer.source)
  handOver(run, transfer)
}

/** Transfers the contact to a person after the session has ended. */
export function handOver({ session, ports }: Run, transfer: BotTransfer): void {
  // Stored first, because a transfer ends every session that is still active.
  if (session) ports.saveSession(session)
  ports.transfer(transfer)
}
