import { GROUPS } from '../costs/model'
import { AGENT_SORTS } from '../agents/model'
import { QUALITY_GROUPS } from '../quality/model'
import { MESSAGE_SOURCES } from '../../../inbox/messages/table'
import { CATALOG } from '../figures'
import { GRANULARITIES, type Figures } from '../report/rules'
import type { Widget, WidgetReport } from './model'

/** The lists of each report, which widgets can show beside its figures. */
const LISTS: Readonly<Record<WidgetReport, readonly string[]>> = {
  dashboard: [],
  messages: ['by_type', 'timeline'],
  chatbot: ['by_flow', 'top_keywords', 'timeline'],
  agents: ['items'],
  campaigns: ['items'],
  costs: ['groups', 'timeline'],
  quality: ['groups', 'timeline'],
}

/**
 * Parts of a report that hold the same figures as another part: sums over all rows, and the rows of a
 * list.
 */
const SAME: Readonly<Partial<Record<WidgetReport, Readonly<Record<string, readonly string[]>>>>> = {
  agents: { items: ['summary'] },
  campaigns: { items: ['summary'] },
  costs: { summary: ['groups', 'timeline'] },
  quality: { summary: ['groups', 'timeline'] },
}

/** Figures that only the first of such parts holds. */
const ONLY_THERE: ReadonlySet<string> = new Set(['ai_cost'])

/**
 * Returns everything of a report that a widget can show: lists, and figures with and without the
 * part that holds them.
 */
export const metricsOf = (report: WidgetReport): Set<string> =>
  new Set([
    ...LISTS[report],
    ...Object.entries<Figures>(CATALOG[report]).flatMap(([part, figures]) =>
      Object.keys(figures).flatMap((name) => [
        ...[`${part}.${name}`, name],
        ...(ONLY_THERE.has(name)
          ? []
          : (SAME[report]?.[part] ?? []).map((own) => `${own}.${name}`)),
      ]),
    ),
  ])

/** Things that a filter can point at. */
export type WidgetTarget = 'account' | 'team' | 'flow' | 'member' | 'tag' | 'campaign'

/** The values of a filter: an ID of a thing, or one of some words. */
export type FilterRule = { target: WidgetTarget } | { values: readonly string[] }

const account: FilterRule = { target: 'account' }
const campaign: FilterRule = { target: 'campaign' }
const member: FilterRule = { target: 'member' }
const granularity: FilterRule = { values: GRANULARITIES }

/** The filters of each report: its query parameters without its dates and its page. */
export const FILTERS: Readonly<Record<WidgetReport, Readonly<Record<string, FilterRule>>>> = {
  dashboard: { account_id: account },
  messages: {
    account_id: account,
    direction: { values: ['incoming', 'outgoing'] },
    source: { values: MESSAGE_SOURCES },
    granularity,
  },
  chatbot: { account_id: account, flow_id: { target: 'flow' }, granularity },
  agents: {
    team_id: { target: 'team' },
    sort: { values: AGENT_SORTS },
    order: { values: ['asc', 'desc'] },
  },
  campaigns: { account_id: account, campaign_id: campaign },
  costs: {
    account_id: account,
    campaign_id: campaign,
    user_id: member,
    granularity,
    group_by: { values: GROUPS },
  },
  quality: {
    account_id: account,
    team_id: { target: 'team' },
    user_id: member,
    tag_id: { target: 'tag' },
    granularity,
    group_by: { values: QUALITY_GROUPS },
  },
}

/** Returns the IDs that the filters of a widget point at. */
export const targetsOf = ({
  report,
  filters,
}: Pick<Widget, 'report' | 'filters'>): { name: string; target: WidgetTarget; id: string }[] =>
  Object.entries(filters).flatMap(([name, value]) => {
    const rule = FILTERS[report][name]
    return rule && 'target' in rule ? [{ name, target: rule.target, id: String(value) }] : []
  })

/** Returns the room that a widget takes if nobody chose it. */
export const sizeOf = ({ kind }: Pick<Widget, 'kind'>): Widget['size'] =>
  kind === 'number' ? 'small' : 'large'

const widget = (
  id: string,
  shown: Pick<Widget, 'title' | 'report' | 'metric' | 'kind' | 'period'> & Partial<Widget>,
): Widget => ({ id, filters: {}, size: sizeOf(shown), compare: false, ...shown })

/** The board of people for whom nobody has made one. */
export const DEFAULT_WIDGETS: readonly Widget[] = [
  widget('messages', {
    title: 'Messages by day',
    report: 'messages',
    metric: 'timeline',
    kind: 'line',
    period: 'month',
    filters: { granularity: 'day' },
  }),
  widget('contacts', {
    title: 'New contacts',
    report: 'dashboard',
    metric: 'contacts.new_in_period',
    kind: 'number',
    period: 'month',
    compare: true,
  }),
  widget('delivery', {
    title: 'Delivered',
    report: 'messages',
    metric: 'summary.delivery_rate',
    kind: 'number',
    period: 'month',
    compare: true,
  }),
  widget('waiting', {
    title: 'Customers waiting for a person',
    report: 'dashboard',
    metric: 'transfers.waiting',
    kind: 'number',
    period: 'today',
  }),
  widget('resolution', {
    title: 'Resolved by the bot',
    report: 'chatbot',
    metric: 'summary.resolution_rate',
    kind: 'number',
    period: 'month',
    compare: true,
  }),
  widget('costs', {
    title: 'Costs by category',
    report: 'costs',
    metric: 'groups',
    kind: 'bar',
    period: 'month',
    filters: { group_by: 'category' },
  }),
]
