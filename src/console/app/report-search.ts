import { choiceIn, idIn, only, pageIn, textIn } from './search-values'

/** What the reports cover, as the address says. */
export interface AnalyticsSearch {
  /** A preset, or the first and the last day. */
  days?: string | undefined
  account?: string | undefined
  team?: string | undefined
  person?: string | undefined
  tag?: string | undefined
  campaign?: string | undefined
  flow?: string | undefined
  /** Who sent messages, such as `agent`. */
  source?: string | undefined
  /** People who are compared, with commas. */
  people?: string | undefined
  /** Which board is shown, if it is not one's own. */
  board?: 'organization' | undefined
  /** The number whose course is drawn. */
  figure?: string | undefined
  /** What figures are grouped by. */
  by?: string | undefined
  /** `no`: without the days before. */
  compare?: 'no' | undefined
  /** The day whose conversations are shown, the hour of it, and the team. */
  point?: string | undefined
  hour?: string | undefined
  by_team?: string | undefined
  /** The report that a new email begins with. */
  report?: string | undefined
  /** Page of the people on the live board, or of a table. */
  page?: number | undefined
}

/** Reads the search parameters of the reports. Ignores what it does not know. */
export const analyticsSearch = (raw: Record<string, unknown>): AnalyticsSearch =>
  only(raw, {
    ...textIn(raw, 'days'),
    ...idIn(raw, 'account'),
    ...idIn(raw, 'team'),
    ...idIn(raw, 'person'),
    ...idIn(raw, 'tag'),
    ...idIn(raw, 'campaign'),
    ...idIn(raw, 'flow'),
    ...textIn(raw, 'source'),
    ...textIn(raw, 'people'),
    ...choiceIn(raw, 'board', ['organization'] as const),
    ...textIn(raw, 'figure'),
    ...textIn(raw, 'by'),
    ...choiceIn(raw, 'compare', ['no'] as const),
    ...(/^\d{4}-\d\d-\d\d$/.test(String(raw['point'])) ? textIn(raw, 'point') : {}),
    ...(/^(?:1?\d|2[0-3])$/.test(String(raw['hour'])) ? textIn(raw, 'hour') : {}),
    ...idIn(raw, 'by_team'),
    ...textIn(raw, 'report'),
    ...pageIn(raw),
  })
