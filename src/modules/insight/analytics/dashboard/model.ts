import { Type, type Static } from '@sinclair/typebox'

import { fieldsOf } from '../report/rules'
import { currency } from '../report/model'
import { DASHBOARD_FIGURES } from './rules'

/** The figures of the organization at a glance. */
export const Dashboard = Type.Object(
  {
    contacts: Type.Object(fieldsOf(DASHBOARD_FIGURES.contacts)),
    messages: Type.Object(fieldsOf(DASHBOARD_FIGURES.messages)),
    campaigns: Type.Object(fieldsOf(DASHBOARD_FIGURES.campaigns)),
    chatbot: Type.Object(fieldsOf(DASHBOARD_FIGURES.chatbot)),
    transfers: Type.Object(fieldsOf(DASHBOARD_FIGURES.transfers)),
    period: Type.Object({
      start: Type.String({ format: 'date', description: 'First day of the period.' }),
      end: Type.String({ format: 'date', description: 'Today.' }),
    }),
    ...currency,
  },
  { title: 'Dashboard' },
)
export type Dashboard = Static<typeof Dashboard>

/** A figure of the dashboard as a row of its CSV file. */
export const DashboardRow = Type.Object({
  area: Type.String(),
  figure: Type.String(),
  value: Type.Number(),
})
export type DashboardRow = Static<typeof DashboardRow>
