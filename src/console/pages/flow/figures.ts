import { createContext, useContext } from 'react'

import { useCan } from '../../live/me'
import { useApi } from '../../live/query'

/** How many people left a flow at each of its steps in the last 30 days. */
export type Figures = ReadonlyMap<string, number>

/** Asks how many people left a flow at its steps, as far as the person may know. */
export function useFigures(id: string, isPublished: boolean): Figures {
  const may = useCan('analytics:read')
  const query = { flow_id: id, granularity: 'month' as const }
  const { data } = useApi('GET /api/analytics/chatbot', { query }, may && isPublished)
  const own = data?.by_flow.find(({ flow_id: one }) => one === id)
  return new Map(own?.drop_off.map(({ node_id: node, count }) => [node, count]))
}

const Context = createContext<Figures>(new Map())

/** Gives the figures to what is inside. */
export const FiguresProvider = Context.Provider

/** Returns how many people left the flow at a step. */
export const useLeft = (id: string): number => useContext(Context).get(id) ?? 0
