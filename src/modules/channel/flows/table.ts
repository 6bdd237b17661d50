import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../accounts/table'

/** WhatsApp Flows, including local drafts. */
export const flows = tableWithoutPeople(
  'flows',
  'forms for everybody',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    /**
     * The phone number it was created or synced with. Its key decrypts data exchange requests;
     * every number of the business account can send the Flow.
     */
    accountId: uuid('account_id').notNull(),
    /** Platform ID of the business account. */
    businessId: text('business_id').notNull(),
    /** Platform ID; `null` before it is saved there. */
    metaFlowId: text('meta_flow_id'),
    name: text('name').notNull(),
    /** The name without case and accents, for the search. */
    nameKey: text('name_key').notNull(),
    status: text('status', {
      enum: ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'],
    }).notNull(),
    /** Platform time of the status; older events are ignored. */
    statusAtMs: integer('status_at_ms').notNull().default(0),
    /** JSON list. */
    categories: text('categories').notNull(),
    /** The Flow JSON as sent to the platform; `null` if there is none yet. */
    definition: text('definition'),
    jsonVersion: text('json_version'),
    dataApiVersion: text('data_api_version'),
    endpointMode: text('endpoint_mode', { enum: ['none', 'rules', 'http'] }).notNull(),
    /** JSON, by mode, without secrets. */
    endpointConfig: text('endpoint_config').notNull().default('{}'),
    /** Signing secret and custom headers of requests to the customer endpoint. */
    endpointSecretSealed: text('endpoint_secret_sealed'),
    endpointHeadersSealed: text('endpoint_headers_sealed'),
    /** Validation errors of the platform, JSON list. */
    validationErrors: text('validation_errors').notNull().default('[]'),
    previewUrl: text('preview_url'),
    previewExpiresAtMs: integer('preview_expires_at_ms'),
    hasLocalChanges: integer('has_local_changes', { mode: 'boolean' }).notNull(),
    /** `{can_send, errors}`, JSON; `null` until the platform reported it. */
    health: text('health'),
    /** The newest alert of each kind, JSON by kind. */
    alerts: text('alerts').notNull().default('{}'),
    /** Start of the platform call in progress. */
    busySinceMs: integer('busy_since_ms'),
    /**
     * Start of a creation whose response is unknown: the platform may have the Flow under this
     * name.
     */
    creatingSinceMs: integer('creating_since_ms'),
    responseCount: integer('response_count').notNull().default(0),
    syncedAtMs: integer('synced_at_ms'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** When a user deleted it. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check(
      'flows_created',
      sql`${table.status} in ('DRAFT', 'DEPRECATED') or ${table.metaFlowId} is not null`,
    ),
    uniqueIndex('flows_platform_id')
      .on(table.organizationId, table.metaFlowId)
      .where(sql`${table.metaFlowId} is not null`),
    index('flows_name').on(table.organizationId, table.accountId, table.nameKey),
    index('flows_list')
      .on(table.organizationId, table.createdAtMs, table.id)
      .where(sql`${table.deletedAtMs} is null`),
  ],
)

/** Recent data exchanges of each Flow without the entered data; the newest 500 per Flow. */
export const flowExchanges = tableWithoutPeople(
  'flow_exchanges',
  'screens, outcomes and times, without what was entered',
  {
    organizationId: uuid('organization_id').notNull(),
    /** Newer ones have higher numbers. */
    id: uuid('id').notNull(),
    flowId: uuid('flow_id').notNull(),
    atMs: integer('at_ms').notNull(),
    action: text('action').notNull(),
    screen: text('screen'),
    outcome: text('outcome', {
      enum: ['answered', 'completed', 'acknowledged', 'error', 'expired'],
    }).notNull(),
    durationMs: integer('duration_ms').notNull(),
    error: text('error'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.flowId],
      foreignColumns: [flows.organizationId, flows.id],
    }),
    index('flow_exchanges_recent').on(table.organizationId, table.flowId, table.id),
  ],
)
