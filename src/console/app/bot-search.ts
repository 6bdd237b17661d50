import { idIn, only } from './search-values'

/** Whose settings of the bot are shown, as the address says. */
export interface BotSearch {
  /** A phone number; without one those of the organization. */
  number?: string | undefined
}

/** Reads the search parameters of the bot's overview. */
export const botSearch = (raw: Record<string, unknown>): BotSearch =>
  only(raw, { ...idIn(raw, 'number') })
