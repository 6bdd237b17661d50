import { createContext, useContext } from 'react'

import type { Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'

/** How many came to a step in the last 30 days, went on, and left there. */
type StepFigures = Data<'GET /api/chatbot/flows/{id}/figures'>['steps'][number]

/** The figures of a flow by the IDs of its steps. */
export type Figures = ReadonlyMap<string, StepFigures>

/** Asks how many came to the steps of a flow, as far as the person may know. */
export function useFigures(id: string, isPublished: boolean): Figures {
  const may = useCan('analytics:read')
  const { data } = useApi(
    'GET /api/chatbot/flows/{id}/figures',
    { params: { id } },
    may && isPublished,
  )
  return new Map(data?.steps.map((step) => [step.node_id, step]))
}

const Context = createContext<Figures>(new Map())

/** Gives the figures to what is inside. */
export const FiguresProvider = Context.Provider

/** Returns in words how many came to a step, went on, and left; `null` if nobody came. */
export function useFigureWords(id: string): string | null {
  const step = useContext(Context).get(id)
  if (!step) return null
  const { came, went_on: wentOn, left } = step
  return t('flow.figures', {
    came: formatNumber(came),
    on: formatNumber(wentOn),
    left: formatNumber(left),
  })
}
