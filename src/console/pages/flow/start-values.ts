import type { BotFlow } from '../../api/shapes'

const FIELDS = [
  'name',
  'description',
  'account_id',
  'trigger_keywords',
  'trigger_match_type',
  'priority',
  'initial_message',
  'completion_message',
  'on_complete_action',
  'completion_config',
  'cancel_keywords',
  'cancel_message',
  'timeout_minutes',
  'timeout_message',
  'panel_config',
] as const

/** Everything about a flow besides its steps. */
export type FlowValues = Pick<BotFlow, (typeof FIELDS)[number] | 'updated_at'>

/** Returns everything about a flow besides its steps. */
export const valuesOf = (flow: BotFlow): FlowValues => ({
  ...(Object.fromEntries(FIELDS.map((field) => [field, flow[field]])) as Omit<
    FlowValues,
    'updated_at'
  >),
  updated_at: flow.updated_at,
})
