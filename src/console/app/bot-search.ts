import { choiceIn, idIn, only, textIn } from './search-values'

/** Whose settings of the bot are shown, as the address says. */
export interface BotSearch {
  /** A phone number; without one those of the organization. */
  number?: string | undefined
}

/** Reads the search parameters of the bot's overview. */
export const botSearch = (raw: Record<string, unknown>): BotSearch =>
  only(raw, { ...idIn(raw, 'number') })

/** What a new source is for, as the address says. */
export interface SourceSearch {
  /** The question that it answers. */
  question?: string | undefined
}

/** Reads the search parameters of a source. */
export const sourceSearch = (raw: Record<string, unknown>): SourceSearch =>
  only(raw, { ...idIn(raw, 'question') })

const KINDS = ['text', 'buttons', 'media', 'template', 'flow', 'transfer'] as const

/** Which rules are listed, as the address says. */
export interface RulesSearch {
  q?: string | undefined
  kind?: (typeof KINDS)[number] | undefined
  account?: string | undefined
  on?: 'yes' | 'no' | undefined
}

/** Reads the search parameters of the rules. */
export const rulesSearch = (raw: Record<string, unknown>): RulesSearch =>
  only(raw, {
    ...textIn(raw, 'q'),
    ...choiceIn(raw, 'kind', KINDS),
    ...idIn(raw, 'account'),
    ...choiceIn(raw, 'on', ['yes', 'no'] as const),
  })

const STATES = ['active', 'completed', 'transferred', 'timed_out', 'cancelled', 'failed'] as const

/** Which sessions are listed, as the address says. */
export interface SessionsSearch {
  state?: (typeof STATES)[number] | undefined
  flow?: string | undefined
  account?: string | undefined
}

/** Reads the search parameters of the sessions. */
export const sessionsSearch = (raw: Record<string, unknown>): SessionsSearch =>
  only(raw, { ...choiceIn(raw, 'state', STATES), ...idIn(raw, 'flow'), ...idIn(raw, 'account') })
