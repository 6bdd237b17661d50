import type { Figures, Series, Unit } from '../../parts/chart/figures'
import { pointName } from '../../texts/points'
import { t, type TextKey } from '../../texts/texts'

/** One number of a report, and where it stands. */
export interface FigureSpec {
  /** Its field in the summary. */
  id: string
  text: TextKey
  unit: Unit
  /** Its field in the points of the timeline; absent if they have none. */
  point?: string
  /** In place of it, the fields of which it is the share in percent. */
  share?: readonly [part: string, whole: string]
  /** Whether it is good (`up`) or bad (`down`) that it grows; absent if it is neither. */
  better?: 'up' | 'down'
}

/** What all reports have in common. Amounts of money are text. */
export interface ReportData {
  summary: object
  timeline: readonly { date: string }[]
}

/** What shares and means are of, as the reports call it: their sum is the whole. */
const WHOLES: Readonly<Record<string, readonly string[]>> = {
  delivery_rate: ['total_sent', 'sent'],
  read_rate: ['total_delivered', 'delivered'],
  reply_rate: ['delivered'],
  resolution_rate: ['auto_resolved', 'transferred_to_agent', 'abandoned'],
  avg_messages_per_conversation: ['total_conversations'],
  sla_met_rate: ['transfers_handled'],
}

/** Returns a value; `null` if there is none, as the API says 0 for the mean and the share of nothing. */
export function knownIn(holder: object, name: string): number | null {
  const fields = holder as Record<string, unknown>
  const value = fields[name] ?? null
  if (value === null) return null
  if (value !== 0) return Number(value)
  const wholes = (WHOLES[name] ?? []).filter((one) => one in fields)
  const isOfNothing =
    /^(?:avg|median)_.*_seconds$/.test(name) ||
    (wholes.length > 0 && wholes.every((one) => fields[one] === 0))
  return isOfNothing ? null : 0
}

/** Returns the number of a report; `undefined` while it is loaded. */
export const totalOf = (
  { id }: FigureSpec,
  report: ReportData | undefined,
): number | null | undefined => report && knownIn(report.summary, id)

/** Whether a figure has a course. */
export const hasCourse = ({ point, share }: FigureSpec): boolean =>
  point !== undefined || share !== undefined

/** Returns the value of a figure in each point of a report. */
export function valuesOf(
  { point, share }: Pick<FigureSpec, 'point' | 'share'>,
  { timeline }: Pick<ReportData, 'timeline'>,
): (number | null)[] {
  if (share === undefined)
    return timeline.map((one) => (point === undefined ? null : knownIn(one, point)))
  const [part, whole] = share
  return timeline.map((one) => {
    const all = knownIn(one, whole) ?? 0
    // as exact as the percentages of the server
    return all === 0 ? null : Math.round((1_000 * (knownIn(one, part) ?? 0)) / all) / 10
  })
}

/** How a number changed: the share of the one before, and whether that is good. */
export interface FigureChange {
  /** `null` if there was nothing before. */
  share: number | null
  look: 'good' | 'bad' | 'muted'
}

/** Returns how a number changed; `null` if either is not known. */
export function changeOf(
  value: number | null | undefined,
  earlier: number | null | undefined,
  better?: 'up' | 'down',
): FigureChange | null {
  if (value === null || value === undefined || earlier === null || earlier === undefined)
    return null
  const share = earlier === 0 ? null : (value - earlier) / Math.abs(earlier)
  if (share === null || better === undefined || value === earlier) return { share, look: 'muted' }
  return { share, look: (better === 'up') === value > earlier ? 'good' : 'bad' }
}

/** Returns what a point is of its range: the day of it, and the hour of that day. */
function placesOf(timeline: readonly { date: string }[]): string[] {
  const days = [...new Set(timeline.map(({ date }) => date.slice(0, 10)))]
  const seen = new Map<string, number>()
  return timeline.map(({ date }) => {
    const [day = '', time = ''] = date.split('T')
    const place = `${days.indexOf(day)} ${time.slice(0, 2)}`
    // an hour that a clock shows twice in autumn
    const count = (seen.get(place) ?? 0) + 1
    seen.set(place, count)
    return count === 1 ? place : `${place} ${count}`
  })
}

/**
 * Returns the values of the days before at the points of a report: those of the same day and hour,
 * also where one of the days is an hour shorter or longer.
 */
function valuesBefore(spec: FigureSpec, now: ReportData, before: ReportData): (number | null)[] {
  const values = valuesOf(spec, before)
  const at = new Map(placesOf(before.timeline).map((place, nth) => [place, values[nth] ?? null]))
  return placesOf(now.timeline).map((place) => at.get(place) ?? null)
}

/** A line that should not be exceeded, and the figure it belongs to. */
export interface Limit {
  of: string
  label: string
  value: number
}

interface CourseProps {
  spec: FigureSpec
  now: ReportData
  before: ReportData | undefined
  /** How the days before are called. */
  beforeName: string
  granularity: 'hour' | 'day' | 'week' | 'month'
  limit?: Limit | undefined
}

/** Returns the course of a figure, with that of the days before and what should not be exceeded. */
export function courseOf(props: CourseProps): Figures {
  const { spec, now, before, beforeName, granularity, limit } = props
  const series: Series[] = [{ id: spec.id, label: t(spec.text), values: valuesOf(spec, now) }]
  if (before)
    series.push({
      ...{ id: 'before', look: 'before', label: beforeName },
      values: valuesBefore(spec, now, before),
    })
  if (limit?.of === spec.id)
    series.push({
      ...{ id: 'limit', look: 'limit', label: limit.label },
      values: now.timeline.map(() => limit.value),
    })
  return {
    unit: spec.unit,
    pointName: t(`analytics.point.${granularity}`),
    points: now.timeline.map(({ date }) => pointName(date, granularity)),
    series,
  }
}
