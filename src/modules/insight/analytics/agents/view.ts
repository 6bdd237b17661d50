import { medianOf, type HistogramBin } from '../../../../lib/histogram'
import { meanSeconds, secondsOf } from '../report/rates'
import type { AgentPoint } from './model'
import type { AgentPresence } from './presence'
import type { WorkSums } from './read-counts'

/** Returns the figures of answers and transfers. */
export const workFigures = (work: WorkSums) => ({
  transfers_handled: work.handled,
  avg_queue_seconds: meanSeconds(work.queuedMs, work.pickedUp),
  avg_first_response_seconds: meanSeconds(work.waitedMs, work.responses),
  median_first_response_seconds: secondsOf(medianOf(binsOf(work))),
  avg_resolution_seconds: meanSeconds(work.resolutionMs, work.handled),
  sla_breached: work.breached,
})

/** Returns the figures of the work and presence of an agent, or of several agents. */
export const figuresOf = (work: WorkSums, presence: AgentPresence): Omit<AgentPoint, 'date'> => ({
  ...workFigures(work),
  messages_sent: work.messages,
  available_seconds: secondsOf(presence.availableMs),
  away_seconds: secondsOf(presence.awayMs),
  breaks: presence.breaks,
})

const binsOf = ({ bins }: WorkSums): HistogramBin[] =>
  [...bins].map(([bin, count]) => ({ bin, count })).toSorted((a, b) => a.bin - b.bin)
