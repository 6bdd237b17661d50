import { Type, type Static } from '@sinclair/typebox'

import { oneOf } from '../../../../lib/fields'
import { GRANULARITIES } from './rules'

const Day = (which: string) =>
  Type.Optional(
    Type.String({
      maxLength: 40,
      description:
        `${which} day of the report (YYYY-MM-DD, in the organization's time zone), or a time ` +
        'with offset, which stands for its hour, or for its day if that is more than 90 days ago.',
    }),
  )

/** Query parameters for the range of a report. */
export const rangeQuery = { start_date: Day('First'), end_date: Day('Last') }

/** Query parameter for the length of the points of a timeline. */
export const granularityQuery = {
  granularity: Type.Optional(
    oneOf(GRANULARITIES, { description: 'Length of the points of `timeline`.', default: 'day' }),
  ),
}

/** Query parameter for one phone number. */
export const accountQuery = {
  account_id: Type.Optional(Type.String({ format: 'uuid', description: 'Phone number.' })),
}

/** Query parameter for one campaign. */
export const campaignQuery = {
  campaign_id: Type.Optional(Type.String({ format: 'uuid', description: 'Campaign.' })),
}

/** Query parameter for one member. */
export const memberQuery = {
  user_id: Type.Optional(Type.String({ format: 'uuid', description: 'Member.' })),
}

/** Query parameter for the form of the answer. */
export const formatQuery = {
  format: Type.Optional(
    oneOf(['json', 'csv'], {
      description:
        '`csv` returns the table of the report as a file, as `Accept: text/csv` does. That counts ' +
        'as a bulk operation.',
      default: 'json',
    }),
  ),
}

/** The local start of a point of a timeline. */
export const pointDate = {
  date: Type.String({
    description: "Start of the point in the organization's time zone: a date, or a time for hours.",
  }),
}

const Granularity = Type.String({ enum: [...GRANULARITIES] })

/** The range that a report covers. */
export const RangeView = Type.Object({
  start_date: Type.String({ format: 'date' }),
  end_date: Type.String({ format: 'date' }),
  timezone: Type.String(),
  granularity: Granularity,
})
export type RangeView = Static<typeof RangeView>

/** How current a report is. Every report has these fields. */
export const currency = {
  as_of: Type.String({
    format: 'date-time',
    description: 'Everything up to this time is counted.',
  }),
  rebuilding: Type.Boolean({
    description:
      'Whether the counters are being counted again. The figures stay the old ones until that is ' +
      'done.',
  }),
}

/** What every report on a range says about itself. */
export const reportFields = { range: RangeView, ...currency }
