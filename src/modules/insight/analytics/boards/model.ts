import { Type, type Static } from '@sinclair/typebox'

import { freeObject, oneOf } from '../../../../lib/fields'

/** Reports that a widget can show. */
export const WIDGET_REPORTS = [
  'dashboard',
  'messages',
  'chatbot',
  'agents',
  'campaigns',
  'costs',
  'quality',
] as const
export type WidgetReport = (typeof WIDGET_REPORTS)[number]

/** Periods that a widget can cover. */
const WIDGET_PERIODS = ['today', 'week', 'month', 'quarter', 'year'] as const

const MAX_WIDGETS = 24

const fields = {
  title: Type.String({ minLength: 1, maxLength: 60 }),
  report: oneOf(WIDGET_REPORTS),
  metric: Type.String({
    minLength: 1,
    maxLength: 80,
    description:
      'A field of the report with the part that holds it, such as `summary.total_sent`, or a list ' +
      'of it, such as `timeline` or `by_flow`.',
  }),
  kind: oneOf(['number', 'line', 'bar', 'table']),
  period: oneOf(WIDGET_PERIODS, {
    description:
      'The period so far: today, or since the start of the week, month, quarter or year.',
  }),
}
const filters = freeObject({
  description: 'Query parameters of the report, without its dates.',
  examples: [{ granularity: 'day' }],
})
const size = oneOf(['small', 'large'], {
  description:
    'The room it takes. Defaults to `small` for numbers and `large` for everything else.',
})
const compare = Type.Boolean({
  description: 'Whether the period before is shown beside it.',
  default: false,
})

/** A widget in requests. */
export const NewWidget = Type.Object({
  id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Unique on the board. Created if it is missing.',
    }),
  ),
  ...fields,
  filters: Type.Optional(filters),
  size: Type.Optional(size),
  compare: Type.Optional(compare),
})
export type NewWidget = Static<typeof NewWidget>

/** The widgets of a board in requests. */
export const BoardChanges = Type.Object(
  { widgets: Type.Array(NewWidget, { maxItems: MAX_WIDGETS, description: 'In their order.' }) },
  {
    title: 'BoardChanges',
    examples: [
      {
        widgets: [
          {
            title: 'Messages sent',
            report: 'messages',
            metric: 'summary.total_sent',
            kind: 'number',
            period: 'week',
          },
        ],
      },
    ],
  },
)
export type BoardChanges = Static<typeof BoardChanges>

/** A widget in API responses. */
export const WidgetView = Type.Object(
  {
    id: Type.String(),
    ...fields,
    filters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'Query parameters of the report, without its dates.',
    }),
    size,
    compare,
    problem: Type.Union([Type.String({ enum: ['deleted'] }), Type.Null()], {
      description:
        '`deleted`: a filter points at something that was deleted, so there is nothing to show.',
    }),
  },
  { title: 'Widget' },
)
export type WidgetView = Static<typeof WidgetView>

export type Widget = Omit<WidgetView, 'problem'>

/** A widget as it is stored; those of earlier versions have no size. */
export type StoredWidget = Omit<Widget, 'size'> & Partial<Pick<Widget, 'size'>>

/** A board in API responses. */
export const BoardView = Type.Object(
  {
    widgets: Type.Array(WidgetView),
    is_default: Type.Boolean({ description: 'Whether nobody has changed this board yet.' }),
    updated_at: Type.String({
      format: 'date-time',
      description: 'When it was changed last; when the organization began, if nobody has.',
    }),
  },
  { title: 'Board' },
)
export type BoardView = Static<typeof BoardView>
