import { textMessage } from './drafts'
import { trace, write, type Run } from './run'

/** Whether it is outside business hours and the settings allow no automatic answers then. */
export const isClosed = ({ ports }: Run): boolean =>
  !ports.settings.allow_automated_outside_hours && !ports.isOpenNow()

/** Whether it is outside business hours and the settings allow no transfers to people then. */
export const refusesTransfers = ({ ports }: Run): boolean =>
  ports.settings.transfer_outside_hours === 'refuse' && !ports.isOpenNow()

/** Sends the out-of-hours message, once per contact and closed hours. */
export function sayClosed(run: Run): void {
  const { ports } = run
  const text = ports.settings.out_of_hours_message
  const isFirst = text !== null && ports.markOutOfHours()
  const row = trace(run, {
    stage: 'hours',
    outcome: isFirst ? 'out_of_hours' : 'out_of_hours_silent',
    input: run.turn?.text ?? null,
  })
  if (isFirst) write(run, textMessage(text), row)
}
