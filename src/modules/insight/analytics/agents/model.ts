import { Type, type Static } from '@sinclair/typebox'

import { fieldsOf } from '../report/rules'
import { pointDate, reportFields } from '../report/model'
import { AGENT_FIGURES } from './rules'

const figures = fieldsOf(AGENT_FIGURES.items)
const { active_transfers: _now, ...figuresOfPoint } = figures

/** The figures of an agent. */
export const AgentRow = Type.Object(
  {
    user_id: Type.String({ format: 'uuid' }),
    full_name: Type.String(),
    is_available: Type.Boolean(),
    ...figures,
  },
  { title: 'AgentFigures' },
)
export type AgentRow = Static<typeof AgentRow>

/** The figures of an agent in one point of the timeline. */
export const AgentPoint = Type.Object({ ...pointDate, ...figuresOfPoint }, { title: 'AgentPoint' })
export type AgentPoint = Static<typeof AgentPoint>

/** The figures of all agents together. */
const AgentSummary = Type.Object(figures, { title: 'AgentSummary' })
export type AgentSummary = Static<typeof AgentSummary>

/** The figures of an agent with a timeline. */
export const AgentReport = Type.Object(
  {
    agent: AgentRow,
    timeline: Type.Array(AgentPoint, {
      description: 'One entry for each hour, day, week or month of the range, oldest first.',
    }),
    ...reportFields,
  },
  { title: 'AgentReport' },
)
export type AgentReport = Static<typeof AgentReport>

/** The figures of the agents of an organization or a team. */
export const AgentList = Type.Object(
  {
    items: Type.Array(AgentRow),
    total: Type.Integer(),
    page: Type.Integer(),
    limit: Type.Integer(),
    total_pages: Type.Integer(),
    summary: AgentSummary,
    ...reportFields,
  },
  { title: 'AgentList' },
)
export type AgentList = Static<typeof AgentList>

/** The figures of some agents side by side. */
export const AgentComparison = Type.Object(
  {
    agents: Type.Array(AgentRow, { description: 'In the order of `user_ids`.' }),
    ...reportFields,
  },
  { title: 'AgentComparison' },
)
export type AgentComparison = Static<typeof AgentComparison>

/** What the list of agents can be sorted by. */
export const AGENT_SORTS = [
  'full_name',
  ...(Object.keys(figures) as (keyof typeof figures)[]),
] as const
export type AgentSort = (typeof AGENT_SORTS)[number]
