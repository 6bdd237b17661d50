import { choiceIn, only, textIn } from './search-values'

/** Which bot flows are listed, as the address says. */
export interface FlowsSearch {
  q?: string | undefined
  state?: 'on' | 'off' | undefined
}

/** Reads the search parameters of the bot flows. Ignores what it does not know. */
export const flowsSearch = (raw: Record<string, unknown>): FlowsSearch =>
  only(raw, { ...textIn(raw, 'q'), ...choiceIn(raw, 'state', ['on', 'off'] as const) })

/** What the editor of a bot flow shows, as the address says. */
export interface FlowSearch {
  /** The chosen step; `start` for how the flow begins and ends. */
  node?: string | undefined
  /** Whether the flow is a list, also where the canvas has room. */
  as?: 'list' | undefined
  /** What stands beside it in the place of the settings. */
  side?: 'test' | 'versions' | undefined
}

/** Reads the search parameters of the editor of a bot flow. Ignores what it does not know. */
export const flowSearch = (raw: Record<string, unknown>): FlowSearch =>
  only(raw, {
    ...textIn(raw, 'node'),
    ...choiceIn(raw, 'as', ['list'] as const),
    ...choiceIn(raw, 'side', ['test', 'versions'] as const),
  })
