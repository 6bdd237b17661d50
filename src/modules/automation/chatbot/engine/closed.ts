import type { NewMessage } from '../../../inbox/messages/compose/model'
import { addDraft, textMessage } from './drafts'
import { settingsText } from './own-words'
import { trace, write, type Run } from './run'

/** Whether it is outside business hours and the settings allow no automatic answers then. */
export const isClosed = ({ ports }: Run): boolean =>
  !ports.settings.allow_automated_outside_hours && !ports.isOpenNow()

/** Whether it is outside business hours and the settings allow no transfers to people then. */
export const refusesTransfers = ({ ports }: Run): boolean =>
  ports.settings.transfer_outside_hours === 'refuse' && !ports.isOpenNow()

/**
 * Sends the out-of-hours message, once per contact and closed hours. A customer who would be handed
 * over (`isAsked`) is answered each time.
 */
export function sayClosed(run: Run, { isAsked }: { isAsked: boolean }): void {
  const { ports } = run
  run.isRefused = true
  const isFirst = ports.markOutOfHours()
  const row = trace(run, {
    stage: 'hours',
    outcome: isFirst || isAsked ? 'out_of_hours' : 'out_of_hours_silent',
    input: run.turn?.text ?? null,
  })
  if (isFirst || isAsked) write(run, closedText(run), row)
}

const closedText = (run: Run): NewMessage =>
  textMessage(settingsText(run, run.ports.settings.out_of_hours_message, 'closed'))

/**
 * Tells a customer who is answered outside business hours about them, once per contact and closed
 * hours, before what the run wrote. A run that has not written yet, and goes on later, tells then.
 */
export function giveNotice(run: Run): void {
  const { ports, session } = run
  const isUnderWay = session?.status === 'active' && session.state.run !== null
  if (!run.givesNotice || (isUnderWay && run.drafts.length === 0)) return
  run.givesNotice = false
  if (session?.state.run) session.state.run.givesNotice = false
  if (ports.isOpenNow() || !ports.markOutOfHours()) return
  const row = trace(run, { stage: 'hours', outcome: 'out_of_hours' })
  const written = run.drafts.splice(0)
  if (written.length === 0) run.isRefused = true
  write(run, closedText(run), row)
  for (const draft of written) addDraft(run.drafts, draft, ports.settings.coalesce)
}
