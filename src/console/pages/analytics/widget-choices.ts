import type { Widget } from '../../api/shapes'
import type { Unit } from '../../parts/chart/figures'
import type { TextKey } from '../../texts/texts'

/** Something that a person can put on a board. */
export interface WidgetChoice {
  id: string
  text: TextKey
  report: Widget['report']
  metric: string
  kind: Widget['kind']
  filters?: Record<string, string>
}

const number = (text: TextKey, report: Widget['report'], metric: string): WidgetChoice => ({
  id: `${report} ${metric}`,
  text,
  report,
  metric,
  kind: 'number',
})

/** What the board offers. */
export const WIDGET_CHOICES: readonly WidgetChoice[] = [
  number('analytics.figure.sent', 'messages', 'summary.total_sent'),
  number('analytics.figure.received', 'messages', 'summary.total_received'),
  number('analytics.figure.delivery-rate', 'messages', 'summary.delivery_rate'),
  number('analytics.figure.read-rate', 'messages', 'summary.read_rate'),
  number('analytics.figure.failed', 'messages', 'summary.total_failed'),
  number('analytics.figure.customers', 'messages', 'summary.unique_contacts'),
  number('analytics.figure.contacts', 'dashboard', 'contacts.total'),
  number('analytics.figure.new-contacts', 'dashboard', 'contacts.new_in_period'),
  number('analytics.figure.waiting', 'dashboard', 'transfers.waiting'),
  number('analytics.figure.running', 'dashboard', 'campaigns.active'),
  number('analytics.figure.answer', 'quality', 'summary.avg_first_response_seconds'),
  number('analytics.figure.resolution', 'quality', 'summary.avg_resolution_seconds'),
  number('analytics.figure.breached', 'quality', 'summary.sla_breached'),
  number('analytics.figure.sla-met', 'quality', 'summary.sla_met_rate'),
  number('analytics.figure.sessions', 'chatbot', 'summary.total_conversations'),
  number('analytics.figure.resolution-rate', 'chatbot', 'summary.resolution_rate'),
  number('analytics.figure.written', 'agents', 'summary.messages_sent'),
  number('analytics.figure.handled', 'agents', 'summary.transfers_handled'),
  number('analytics.figure.reply-rate', 'campaigns', 'summary.reply_rate'),
  number('analytics.figure.cost', 'costs', 'summary.cost'),
  {
    ...{ id: 'messages timeline', text: 'analytics.board.messages', report: 'messages' },
    ...{ metric: 'timeline', kind: 'line' },
  },
  {
    ...{ id: 'chatbot timeline', text: 'analytics.board.bot', report: 'chatbot' },
    ...{ metric: 'timeline', kind: 'line' },
  },
  {
    ...{ id: 'quality timeline', text: 'analytics.figure.answer', report: 'quality' },
    ...{ metric: 'timeline', kind: 'line' },
  },
  {
    ...{ id: 'costs timeline', text: 'analytics.figure.cost', report: 'costs' },
    ...{ metric: 'timeline', kind: 'line' },
  },
  {
    ...{ id: 'messages by_type', text: 'analytics.messages.types', report: 'messages' },
    ...{ metric: 'by_type', kind: 'bar' },
  },
  {
    ...{ id: 'agents items', text: 'analytics.figure.written', report: 'agents', metric: 'items' },
    ...{ kind: 'bar', filters: { sort: 'messages_sent' } },
  },
  {
    ...{ id: 'campaigns items', text: 'analytics.figure.delivered', report: 'campaigns' },
    ...{ metric: 'items', kind: 'bar' },
  },
  {
    ...{ id: 'chatbot by_flow', text: 'analytics.bot.flows', report: 'chatbot' },
    ...{ metric: 'by_flow', kind: 'bar' },
  },
  {
    ...{ id: 'costs groups', text: 'analytics.costs.by', report: 'costs', metric: 'groups' },
    ...{ kind: 'bar', filters: { group_by: 'category' } },
  },
  {
    ...{ id: 'quality groups', text: 'analytics.quality.teams', report: 'quality' },
    ...{ metric: 'groups', kind: 'bar', filters: { group_by: 'team' } },
  },
]

/** The series that a timeline shows, the unit of each report, and their names. */
export const LINES: Partial<
  Record<Widget['report'], { unit: Unit; fields: readonly (readonly [string, TextKey])[] }>
> = {
  messages: {
    unit: 'number',
    fields: [
      ['sent', 'analytics.figure.sent'],
      ['received', 'analytics.figure.received'],
    ],
  },
  chatbot: {
    unit: 'number',
    fields: [
      ['conversations', 'analytics.figure.sessions'],
      ['auto_resolved', 'analytics.figure.resolved'],
    ],
  },
  quality: {
    unit: 'seconds',
    fields: [['avg_first_response_seconds', 'analytics.figure.answer']],
  },
  costs: { unit: 'number', fields: [['cost', 'analytics.figure.cost']] },
}

/** The value that a list compares, and its unit. */
export const BARS: Partial<Record<Widget['report'], { field: string; unit: Unit }>> = {
  costs: { field: 'cost', unit: 'number' },
  quality: { field: 'avg_first_response_seconds', unit: 'seconds' },
  agents: { field: 'messages_sent', unit: 'number' },
  campaigns: { field: 'delivered', unit: 'number' },
  chatbot: { field: 'conversations', unit: 'number' },
}

/** Returns the unit of a number by its name. */
export function unitOf(metric: string, report: object): Unit {
  if (metric.endsWith('_seconds')) return 'seconds'
  if (metric.endsWith('_rate') || metric.endsWith('_percent')) return 'percent'
  if (!metric.endsWith('cost')) return 'decimal'
  const currency = currencyIn(report)
  return currency === null ? 'number' : `money ${currency}`
}

/** Returns the currency in which a report tells costs, or `null` if it tells none. */
export const currencyIn = (report: object): string | null =>
  (report as { summary?: { currency?: string | null } }).summary?.currency ?? null

/** Returns whether it is good that a number grows; `undefined` if it is neither good nor bad. */
export function betterOf(metric: string): 'up' | 'down' | undefined {
  if (/(?:avg|median)_\w*_seconds$|breached$|failed$|cost$/.test(metric)) return 'down'
  return /(?:delivery|read|reply|resolution|met)_rate$/.test(metric) ? 'up' : undefined
}
