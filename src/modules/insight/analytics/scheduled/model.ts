import { Type, type Static } from '@sinclair/typebox'

import { isClockTime } from '../../../../lib/business-hours'
import { checkedText, oneOf } from '../../../../lib/fields'
import { INTERVALS, RUN_STATES } from './table'

/** Reports that can be mailed. */
export const MAILED_REPORTS = [
  'dashboard',
  'messages',
  'chatbot',
  'agents',
  'campaigns',
  'costs',
  'quality',
] as const
export type MailedReport = (typeof MAILED_REPORTS)[number]

const Uuid = Type.String({ format: 'uuid' })
const Time = Type.String({ format: 'date-time' })
const timeOrNull = (description: string) => Type.Union([Time, Type.Null()], { description })

const fields = {
  reports: Type.Array(oneOf(MAILED_REPORTS), {
    minItems: 1,
    maxItems: MAILED_REPORTS.length,
    uniqueItems: true,
    description: 'Reports in the email, in this order.',
  }),
  every: oneOf(INTERVALS, {
    description:
      '`week` covers Monday to Sunday and is sent on Monday, `month` is sent on the 1st.',
  }),
  user_ids: Type.Array(Uuid, {
    minItems: 1,
    maxItems: 50,
    uniqueItems: true,
    description: 'Members who get it. All of them need `analytics:read`.',
  }),
}

const timeOfSending = (options: { default?: string } = {}) =>
  checkedText(
    'report-time',
    (text) => isClockTime(text) && text !== '24:00',
    'must be a time from 00:00 to 23:59',
    {
      maxLength: 5,
      description: "Time of sending, `HH:MM` in the organization's time zone.",
      ...options,
    },
  )
const isActive = (options: { default?: boolean } = {}) =>
  Type.Boolean({ description: 'Whether it is sent.', ...options })

const EXAMPLE = {
  reports: ['messages', 'agents'],
  every: 'week',
  at: '07:00',
  user_ids: ['019a52b0-1c00-7000-8000-000000000001'],
}

export const NewScheduledReport = Type.Object(
  {
    ...fields,
    at: Type.Optional(timeOfSending({ default: '07:00' })),
    is_active: Type.Optional(isActive({ default: true })),
  },
  { title: 'ScheduledReportInput', examples: [EXAMPLE] },
)
export type NewScheduledReport = Static<typeof NewScheduledReport>

/** Changes of a scheduled report. Absent fields stay, so that none has a default. */
export const ScheduledReportChanges = Type.Partial(
  Type.Object({ ...fields, at: timeOfSending(), is_active: isActive() }),
  { title: 'ScheduledReportChanges', minProperties: 1, examples: [{ at: '08:30' }] },
)
export type ScheduledReportChanges = Static<typeof ScheduledReportChanges>

/** A scheduled report in API responses. */
export const ScheduledReportView = Type.Object(
  {
    id: Uuid,
    ...fields,
    user_ids: Type.Array(Uuid, {
      description: 'Members who get it. People who leave or unsubscribe are taken off.',
    }),
    at: Type.String({ description: "Time of sending in the organization's time zone." }),
    is_active: Type.Boolean(),
    made_by: Type.Union([Uuid, Type.Null()], {
      description:
        'The member who made it; `null` after that person left, when it belongs to the organization.',
    }),
    next_at: timeOrNull('When it is sent next; `null` while it is not active.'),
    last_at: timeOrNull('When its last run began; `null` if there was none.'),
    last_outcome: Type.Union([Type.String({ enum: [...RUN_STATES] }), Type.Null()], {
      description:
        '`failed`: some emails could not be sent in three tries. `left_out`: nobody could get it. ' +
        '`too_late`: emails were not sent, because their time was more than 3 days ago.',
    }),
    created_at: Time,
    updated_at: Time,
  },
  { title: 'ScheduledReport' },
)
export type ScheduledReportView = Static<typeof ScheduledReportView>

/** The scheduled reports of an organization. */
export const ScheduledReportList = Type.Object(
  { items: Type.Array(ScheduledReportView) },
  { title: 'ScheduledReportList' },
)
