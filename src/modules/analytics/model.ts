import { Type, type Static } from '@sinclair/typebox'

const Count = Type.Integer()
const Seconds = Type.Number({
  description: 'Seconds, with one decimal. 0 if there is no data.',
})

/** The work of an agent and the response times of customers. */
const agentFigures = {
  messages_sent: Type.Integer({
    description: 'Messages sent by this user that the platform accepted.',
  }),
  avg_first_response_seconds: Seconds,
  median_first_response_seconds: Seconds,
  available_seconds: Seconds,
  away_seconds: Seconds,
  breaks: Type.Integer({ description: 'Breaks that overlap the period.' }),
  transfers_handled: Count,
}

/** The figures of an agent. */
const AgentFigures = Type.Object(
  {
    user_id: Type.String({ format: 'uuid' }),
    full_name: Type.String(),
    is_available: Type.Boolean(),
    active_transfers: Count,
    avg_queue_seconds: Seconds,
    avg_resolution_seconds: Seconds,
    sla_breached: Count,
    ...agentFigures,
  },
  { title: 'AgentFigures' },
)

/** The figures of one day. */
const AgentDay = Type.Object(
  { date: Type.String({ format: 'date' }), ...agentFigures },
  { title: 'AgentDay' },
)

/** The figures of an agent with one point per day. */
export const AgentReport = Type.Object(
  {
    agent: AgentFigures,
    timeline: Type.Array(AgentDay, {
      description: 'One entry for each day of the period, oldest first.',
    }),
    range: Type.Object({
      start_date: Type.String({ format: 'date' }),
      end_date: Type.String({ format: 'date' }),
      timezone: Type.String(),
      granularity: Type.String({ enum: ['day'] }),
    }),
    as_of: Type.String({ format: 'date-time' }),
  },
  { title: 'AgentReport' },
)
export type AgentReport = Static<typeof AgentReport>
export type AgentDay = Static<typeof AgentDay>
