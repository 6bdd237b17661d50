import { CAMPAIGN_STATES, RECIPIENT_STATES } from '../api/shapes'
import { DIRECTIONS, KINDS, SPANS, TYPES, type MessageFilter } from '../pages/search/filter'
import { choiceIn, idIn, only, pageIn, textIn } from './search-values'

/** What the inbox shows, as its address says. */
export interface InboxSearch {
  view?: (typeof VIEWS)[number]
  /** A saved view. */
  saved?: string
  /** A colleague, or `none`. */
  assigned?: string
  team?: string
  account?: string
  tags?: string
  campaign?: string
  unread?: true
  sort?: 'oldest_unanswered'
  q?: string
  /** A message to jump to. */
  message?: string
}

const VIEWS = [
  'mine',
  'queue',
  'unassigned',
  'mentions',
  'waiting',
  'snoozed',
  'bot',
  'closing',
  'closed',
] as const

/** Reads the search parameters of the inbox. Ignores what it does not know. */
export function inboxSearch(raw: Record<string, unknown>): InboxSearch {
  const view = VIEWS.find((one) => one === raw['view'])
  return only(raw, {
    ...(view ? { view } : {}),
    ...textIn(raw, 'saved'),
    ...textIn(raw, 'assigned'),
    ...textIn(raw, 'team'),
    ...textIn(raw, 'account'),
    ...textIn(raw, 'tags'),
    ...textIn(raw, 'campaign'),
    ...(raw['unread'] === true ? { unread: true as const } : {}),
    ...(raw['sort'] === 'oldest_unanswered' ? { sort: 'oldest_unanswered' as const } : {}),
    ...textIn(raw, 'q'),
    ...textIn(raw, 'message'),
  })
}

/** What is searched everywhere, as the address says. */
export interface EverywhereSearch extends MessageFilter {
  q?: string
}

/** Reads the search parameters of the search. */
export const everywhereSearch = (raw: Record<string, unknown>): EverywhereSearch =>
  only(raw, {
    ...textIn(raw, 'q'),
    ...textIn(raw, 'account'),
    ...choiceIn(raw, 'kind', KINDS),
    ...choiceIn(raw, 'direction', DIRECTIONS),
    ...choiceIn(raw, 'type', TYPES),
    ...choiceIn(raw, 'since', SPANS),
  })

/** Which transfers are shown, as the address says. */
export interface TransfersSearch {
  show?: 'mine' | 'active' | 'ended'
  /** A team ID, or `general`. */
  team?: string
  sla?: 'due' | 'breached'
  page?: number
}

const SHOWN = ['mine', 'active', 'ended'] as const
const DEADLINES = ['due', 'breached'] as const

/** Reads the search parameters of the transfers. Ignores what it does not know. */
export function transfersSearch(raw: Record<string, unknown>): TransfersSearch {
  const show = SHOWN.find((one) => one === raw['show'])
  const sla = DEADLINES.find((one) => one === raw['sla'])
  return only(raw, {
    ...(show ? { show } : {}),
    ...(sla ? { sla } : {}),
    ...textIn(raw, 'team'),
    ...pageIn(raw),
  })
}

/** Which templates are listed, as the address says. */
export interface TemplatesSearch {
  q?: string | undefined
  state?: string | undefined
  category?: string | undefined
  quality?: string | undefined
}

/** How a new template begins, as the address says. */
export interface TemplateSearch {
  /** The template that it is like. */
  like?: string | undefined
  language?: string | undefined
}

/** Reads the search parameters of a template. */
export const templateSearch = (raw: Record<string, unknown>): TemplateSearch =>
  only(raw, { ...idIn(raw, 'like'), ...textIn(raw, 'language') })

/** Reads the search parameters of the templates. */
export const templatesSearch = (raw: Record<string, unknown>): TemplatesSearch =>
  only(raw, {
    ...textIn(raw, 'q'),
    ...textIn(raw, 'state'),
    ...textIn(raw, 'category'),
    ...textIn(raw, 'quality'),
  })

/** Which campaigns are listed, as the address says. */
export interface CampaignsSearch {
  q?: string | undefined
  state?: (typeof CAMPAIGN_STATES)[number] | undefined
}

/** Reads the search parameters of the campaigns. Ignores what it does not know. */
export const campaignsSearch = (raw: Record<string, unknown>): CampaignsSearch =>
  only(raw, { ...textIn(raw, 'q'), ...choiceIn(raw, 'state', CAMPAIGN_STATES) })

/** What is shown of a campaign, as the address says. */
export interface CampaignSearch {
  /** Its people instead of its figures. */
  view?: 'people' | undefined
  q?: string | undefined
  state?: (typeof RECIPIENT_STATES)[number] | undefined
  /** The code of an error. */
  error?: string | undefined
}

/** Reads the search parameters of a campaign. Ignores what it does not know. */
export const campaignSearch = (raw: Record<string, unknown>): CampaignSearch =>
  only(raw, {
    ...choiceIn(raw, 'view', ['people']),
    ...textIn(raw, 'q'),
    ...choiceIn(raw, 'state', RECIPIENT_STATES),
    ...textIn(raw, 'error'),
  })

const STEPS_OF_CAMPAIGN = ['who', 'what', 'check', 'test', 'when'] as const

/** Which step to a campaign is shown, as the address says. */
export interface EditCampaignSearch {
  step?: (typeof STEPS_OF_CAMPAIGN)[number] | undefined
}

/** Reads the search parameters of a campaign that is prepared. */
export const editCampaignSearch = (raw: Record<string, unknown>): EditCampaignSearch =>
  only(raw, choiceIn(raw, 'step', STEPS_OF_CAMPAIGN))

/** With what a new campaign begins, as the address says. */
export interface NewCampaignSearch {
  segment?: string | undefined
}

/** Reads the search parameters of a new campaign. */
export const newCampaignSearch = (raw: Record<string, unknown>): NewCampaignSearch =>
  only(raw, textIn(raw, 'segment'))

/** What is shown of the parts for developers: those of forms, those that show, or a step of a wizard. */
export interface PartsSearch {
  step?: 'shown' | 'first' | 'second' | 'last' | undefined
}

/** Reads the search parameters of the parts for developers. */
export const partsSearch = (raw: Record<string, unknown>): PartsSearch =>
  only(raw, choiceIn(raw, 'step', ['shown', 'first', 'second', 'last']))

/** What a list of the settings shows, as its address says. */
export interface SettingsSearch {
  page?: number
  /** ID of the role that a new one begins as. */
  from?: string
  /** Words that the list is searched for. */
  q?: string
  /** Whose changes the audit log shows (`user:` or `key:`, and an ID), what was done, to what, when. */
  who?: string | undefined
  action?: string | undefined
  kind?: string | undefined
  /** What else the list is filtered by: a state, an event or field, a number, and days. */
  state?: string | undefined
  event?: string | undefined
  account?: string | undefined
  days?: string | undefined
}

/** Reads the search parameters of the settings. Ignores what it does not know. */
export const settingsSearch = (raw: Record<string, unknown>): SettingsSearch =>
  only(raw, {
    ...pageIn(raw),
    ...textIn(raw, 'from'),
    ...textIn(raw, 'q'),
    ...(/^(?:user|key):[0-9a-f-]{36}$/.test(String(raw['who'])) ? textIn(raw, 'who') : {}),
    ...(/^[a-z_]{1,64}$/.test(String(raw['action'])) ? textIn(raw, 'action') : {}),
    ...(/^[a-z_]{1,64}$/.test(String(raw['kind'])) ? textIn(raw, 'kind') : {}),
    ...textIn(raw, 'state'),
    ...textIn(raw, 'event'),
    ...idIn(raw, 'account'),
    ...textIn(raw, 'days'),
  })
