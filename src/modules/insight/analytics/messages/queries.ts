import { uuidToBytes } from '../../../../infra/db/uuid'
import { getAccount } from '../../../channel/accounts/queries'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { bucketsOf } from '../report/buckets'
import { reportRange } from '../report/range'
import { meanSeconds, percentOf } from '../report/rates'
import type { Granularity } from '../report/rules'
import { currencyOf, rangeView } from '../report/view'
import { countsOf, type CountRow, type RollupReading } from '../rollups/queries'
import { planOf } from '../rollups/plan'
import type { MessagePoint, MessageReport } from './model'
import { uniqueContacts } from './unique-contacts'

/** Filters and form of the report. */
export interface MessageReportQuery {
  start_date?: string | undefined
  end_date?: string | undefined
  account_id?: string | undefined
  direction?: 'incoming' | 'outgoing' | undefined
  source?: string | undefined
  granularity: Granularity
}

/** The source of every incoming message, and of no other one. */
const CUSTOMER = 'contact'

/** The expression that is 1 for counts of incoming messages. */
export const IS_RECEIVED = `source = '${CUSTOMER}'`

const COLUMNS = ['messages', 'delivered', 'read', 'failed', 'answers', 'answer_ms'] as const

/** Returns the conditions of a report's filters. Throws NotFoundError for an unknown number. */
export function filtersOf(
  ctx: ReadCtx,
  query: Pick<MessageReportQuery, 'account_id' | 'direction' | 'source'>,
): RollupReading['where'] {
  const { account_id, direction, source } = query
  return [
    ...(account_id === undefined
      ? []
      : [['account_id = ?', uuidToBytes(getAccount(ctx, account_id).id)] as const]),
    ...(direction === undefined
      ? []
      : [[direction === 'incoming' ? 'source = ?' : 'source <> ?', CUSTOMER] as const]),
    ...(source === undefined ? [] : [['source = ?', source] as const]),
  ]
}

/**
 * Returns the messages of a period. Delivered, read and failed ones count when they were sent.
 * Throws InvalidError for an invalid range and NotFoundError for an unknown phone number.
 */
export function messageReport(ctx: ReadCtx, query: MessageReportQuery): MessageReport {
  const { granularity } = query
  const range = reportRange(ctx, query, granularity)
  const where = filtersOf(ctx, query)
  const buckets = bucketsOf(range, granularity)
  const plan = planOf(range, { granularity, buckets, nowMs: ctx.clock.nowMs() })
  const timeline: MessagePoint[] = buckets.map(({ date }) => ({
    ...{ date, sent: 0, received: 0, delivered: 0, read: 0, failed: 0 },
  }))
  const answers = { count: 0, sumMs: 0 }
  const counts = { table: 'message_rollups', where, plan } as const
  const rows = countsOf(ctx, { ...counts, keys: [IS_RECEIVED], sums: COLUMNS })
  const types = countsOf(ctx, { ...counts, keys: ['type'], sums: ['messages'], addUp: 'over all' })
  for (const [unit, start, isReceived, ...sums] of rows) {
    const [messages = 0, delivered = 0, read = 0, failed = 0, answered = 0, answerMs = 0] =
      sums.map(Number)
    const point = timeline[plan.pointOf(unit, start)]
    if (!point) continue
    point[isReceived === 1 ? 'received' : 'sent'] += messages
    point.delivered += delivered
    point.read += read
    point.failed += failed
    answers.count += answered
    answers.sumMs += answerMs
  }
  return {
    summary: {
      ...summaryOf(timeline),
      unique_contacts: uniqueContacts(ctx, range, where),
      avg_first_response_seconds: meanSeconds(answers.sumMs, answers.count),
    },
    by_type: byTypeOf(types),
    timeline,
    range: rangeView(range, granularity),
    ...currencyOf(ctx),
  }
}

function byTypeOf(rows: readonly CountRow[]): Record<string, number> {
  const byType = new Map<string, number>()
  for (const [, , type, messages] of rows)
    byType.set(String(type), (byType.get(String(type)) ?? 0) + Number(messages))
  return Object.fromEntries(
    [...byType].filter(([, count]) => count > 0).toSorted(([, a], [, b]) => b - a),
  )
}

function summaryOf(timeline: MessagePoint[]) {
  const sum = (field: Exclude<keyof MessagePoint, 'date'>): number =>
    timeline.reduce((total, point) => total + point[field], 0)
  const [sent, delivered, read] = [sum('sent'), sum('delivered'), sum('read')]
  return {
    total_sent: sent,
    total_received: sum('received'),
    total_delivered: delivered,
    total_read: read,
    total_failed: sum('failed'),
    delivery_rate: percentOf(delivered, sent),
    read_rate: percentOf(read, delivered),
  }
}
