import type { Body } from '../../api/client'
import { ApiError } from '../../api/error'
import type { Campaign, Template } from '../../api/shapes'
import { allOf, type Filter } from '../../parts/filter/model'
import type { Merge } from '../../parts/merge'
import { t } from '../../texts/texts'
import { beyondOf, unboundOf, type Mapping } from './sources'

/** The steps to a campaign, in their order; their words in the address. */
export const STEPS = ['who', 'what', 'check', 'test', 'when'] as const
/** A step to a campaign. */
export type StepId = (typeof STEPS)[number]

/** What a campaign is while it is prepared. */
export interface CampaignForm {
  name: string
  account_id: string
  segment_id: string | null
  filter: Filter | null
  exclude_contacted_days: number | null
  template_id: string | null
  variable_mapping: Mapping
  scheduled_at: string | null
  send_window: Campaign['send_window']
  rate_limit: number | null
  budget: Campaign['budget']
  /** When what the person saw was stored. */
  updated_at: string
}

/** What a new campaign has. */
export const EMPTY_FORM: CampaignForm = {
  ...{ name: '', account_id: '', segment_id: null, filter: null, exclude_contacted_days: null },
  ...{ template_id: null, variable_mapping: {}, scheduled_at: null },
  ...{ send_window: null, rate_limit: null, budget: null, updated_at: '' },
}

/** Returns the tags that a program chose as conditions, which are edited here. */
function filterOf({ tag_ids: tags, tags_mode: mode, filter }: Campaign['audience']): Filter | null {
  const has = (value: string[]): Filter => ({ field: 'tags', op: 'in', value })
  const groups = mode === 'all' ? tags.map((id) => has([id])) : [has(tags)]
  return tags.length === 0 ? filter : allOf({ all: groups }, filter)
}

/** Returns what is edited of a campaign. */
export function formOf(campaign: Campaign): CampaignForm {
  const { name, account_id, template_id, variable_mapping, scheduled_at, updated_at } = campaign
  const { segment_id, exclude_contacted_days } = campaign.audience
  const filter = filterOf(campaign.audience)
  return {
    ...{ name, account_id, template_id, variable_mapping, scheduled_at, updated_at },
    ...{ segment_id, filter, exclude_contacted_days },
    ...{
      send_window: campaign.send_window,
      rate_limit: campaign.rate_limit,
      budget: campaign.budget,
    },
  }
}

/** Returns changes as the API takes them. */
export function changesFor(form: Partial<CampaignForm>): Body<'PUT /api/campaigns/{id}'> {
  const { updated_at: _, segment_id, filter, exclude_contacted_days, ...rest } = form
  const audience = {
    ...(segment_id === undefined ? {} : { segment_id }),
    // tags are conditions here
    ...(filter === undefined ? {} : { filter, tag_ids: [] }),
    ...(exclude_contacted_days === undefined ? {} : { exclude_contacted_days }),
  }
  return {
    ...(rest as Body<'PUT /api/campaigns/{id}'>), // the days of a window are checked by the server
    ...(Object.keys(audience).length === 0 ? {} : { audience }),
  }
}

/** How two people who prepare the same campaign are told about each other. */
export const MERGE: Merge<CampaignForm> = {
  read: (present) => formOf(present as Campaign), // the server sends the campaign
  label: (field) => t(`wizard.field.${field}`),
}

/** Whether somebody is chosen who gets it; `listed` counts the people of its list. */
export const hasPeople = (form: CampaignForm, listed: number): boolean =>
  form.segment_id !== null || form.filter !== null || listed > 0

/** Whether a message is chosen and everything in it has a source. */
export const hasMessage = (form: CampaignForm, template: Template | null): boolean =>
  template !== null &&
  unboundOf(template, form.variable_mapping).length === 0 &&
  beyondOf(template).length === 0

const STEP_OF: readonly [path: RegExp, step: StepId][] = [
  [/^(?:name|account_id|audience)/, 'who'],
  [/^(?:template_id|variable_mapping|default_params|header_media)/, 'what'],
  [/^(?:scheduled_at|send_window|rate_limit|timezone|budget)/, 'when'],
]

/** Returns the step that has the field which the server refused, or `null`. */
export function stepOf(error: unknown): StepId | null {
  if (!(error instanceof ApiError)) return null
  const path = error.more.fields[0]?.path.replace(/^body\./, '') ?? ''
  return STEP_OF.find(([known]) => known.test(path))?.[1] ?? null
}
