import { isoTime, isoTimeOrNull } from '../../lib/clock'
import type { FlowHealth, FlowProblem } from '../../platform/client/flow-facts'
import type { FlowSummary, FlowView } from './model'
import type { flows } from './table'

/** A form as its row holds it. */
export type FlowRow = typeof flows.$inferSelect

/** A form without its JSON. */
export type FlowSummaryRow = Omit<FlowRow, 'definition'>

/** How an endpoint's configuration is stored, by mode; secrets lie apart. */
export interface StoredConfig {
  rules?: unknown
  url?: string
  headers?: string[]
}

/** Stands for the value of a header nobody is shown. */
const HIDDEN_VALUE = '***'

function configView(row: FlowSummaryRow): unknown {
  const { rules, url, headers = [] } = JSON.parse(row.endpointConfig) as StoredConfig
  if (row.endpointMode === 'rules') return rules ?? []
  if (row.endpointMode === 'none') return null
  return {
    url: url ?? null,
    headers: Object.fromEntries(headers.map((name) => [name, HIDDEN_VALUE])),
    has_secret: row.endpointSecretSealed !== null,
  }
}

/** Alerts that stand count as errors: they say why the platform slows a form down, or will. */
function healthView(row: FlowSummaryRow): FlowHealth {
  const { can_send, errors } =
    row.health === null ? { can_send: null, errors: [] } : (JSON.parse(row.health) as FlowHealth)
  const alerts = Object.entries(
    JSON.parse(row.alerts) as Record<string, { is_active: boolean; message: string }>,
  )
    .filter(([, alert]) => alert.is_active)
    .map(([entity, { message }]) => ({ code: null, message, solution: null, entity }))
  return { can_send, errors: [...errors, ...alerts] }
}

/** A form as lists show it. */
export const flowSummary = (row: FlowSummaryRow): FlowSummary => ({
  id: row.id,
  account_id: row.accountId,
  meta_flow_id: row.metaFlowId,
  name: row.name,
  status: row.status,
  categories: JSON.parse(row.categories) as string[],
  json_version: row.jsonVersion,
  data_api_version: row.dataApiVersion,
  endpoint_mode: row.endpointMode,
  endpoint_config: configView(row),
  validation_errors: JSON.parse(row.validationErrors) as FlowProblem[],
  preview_url: row.previewUrl,
  preview_expires_at: isoTimeOrNull(row.previewExpiresAtMs),
  has_local_changes: row.hasLocalChanges,
  health: healthView(row),
  response_count: row.responseCount,
  synced_at: isoTimeOrNull(row.syncedAtMs),
  created_by: row.createdBy,
  created_at: isoTime(row.createdAtMs),
  updated_at: isoTime(row.updatedAtMs),
})

/** A form with its JSON. */
export const flowView = (row: FlowRow): FlowView => ({
  ...flowSummary(row),
  json_definition:
    row.definition === null ? null : (JSON.parse(row.definition) as Record<string, unknown>),
})
