import { hiddenHeaders } from '../../../lib/outgoing-headers'
import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import type { FlowHealth, FlowProblem } from '../../../platform/client/flow-facts'
import type { FlowSummary, FlowView } from './model'
import type { flows } from './table'

/** Database row of a Flow. */
export type FlowRow = typeof flows.$inferSelect

/** Row of a Flow without its JSON. */
export type FlowSummaryRow = Omit<FlowRow, 'definition'>

/** Stored configuration of an endpoint, by mode; secrets are stored separately. */
export interface StoredConfig {
  rules?: unknown
  url?: string
  headers?: string[]
}

function configView(row: FlowSummaryRow): unknown {
  const { rules, url, headers = [] } = JSON.parse(row.endpointConfig) as StoredConfig
  if (row.endpointMode === 'rules') return rules ?? []
  if (row.endpointMode === 'none') return null
  return {
    url: url ?? null,
    headers: hiddenHeaders(headers),
    has_secret: row.endpointSecretSealed !== null,
  }
}

/** Active alerts are listed as errors: they explain why the platform throttles the Flow. */
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

/** A Flow in a list. */
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

/** Returns a Flow with its JSON. */
export const flowView = (row: FlowRow): FlowView => ({
  ...flowSummary(row),
  json_definition:
    row.definition === null ? null : (JSON.parse(row.definition) as Record<string, unknown>),
})

/** Adds a new endpoint secret to the answer; it is shown only once. */
export const withSecret = (view: FlowView, secret: string | null): FlowView =>
  secret === null
    ? view
    : { ...view, endpoint_config: { ...(view.endpoint_config as object), secret } }
