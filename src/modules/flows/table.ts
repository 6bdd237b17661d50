import { sql } from 'drizzle-orm'
import {
  check,
  foreignKey,
  index,
  integer,
  primaryKey,
  sqliteTable,
  text,
  uniqueIndex,
} from 'drizzle-orm/sqlite-core'

import { accounts } from '../accounts/table'

/** The platform's interactive forms: those it has, and drafts that are only here. */
export const flows = sqliteTable(
  'flows',
  {
    organizationId: text('organization_id').notNull(),
    id: text('id').notNull(),
    /**
     * The number it was drafted or found with: its key opens what the form's endpoint is asked;
     * every number of the business account sends it.
     */
    accountId: text('account_id').notNull(),
    /** The platform's id of the business account it belongs to. */
    businessId: text('business_id').notNull(),
    /** The platform's id of it; `null` while it is only here. */
    metaFlowId: text('meta_flow_id'),
    name: text('name').notNull(),
    /** The name without case and accents: what it is found by. */
    nameKey: text('name_key').notNull(),
    status: text('status', {
      enum: ['DRAFT', 'PUBLISHED', 'DEPRECATED', 'BLOCKED', 'THROTTLED'],
    }).notNull(),
    /** The platform's time of the status: what is older changes nothing. */
    statusAtMs: integer('status_at_ms').notNull().default(0),
    /** JSON list. */
    categories: text('categories').notNull(),
    /** The Flow JSON, printed as the platform gets it; `null` while nobody has written one. */
    definition: text('definition'),
    jsonVersion: text('json_version'),
    dataApiVersion: text('data_api_version'),
    endpointMode: text('endpoint_mode', { enum: ['none', 'rules', 'http'] }).notNull(),
    /** JSON, by mode; without what is secret of it. */
    endpointConfig: text('endpoint_config').notNull().default('{}'),
    /**
     * What signs the requests to a customer's address, and the headers of its choice that go with
     * them.
     */
    endpointSecretSealed: text('endpoint_secret_sealed'),
    endpointHeadersSealed: text('endpoint_headers_sealed'),
    /** What the platform finds wrong, JSON list. */
    validationErrors: text('validation_errors').notNull().default('[]'),
    previewUrl: text('preview_url'),
    previewExpiresAtMs: integer('preview_expires_at_ms'),
    hasLocalChanges: integer('has_local_changes', { mode: 'boolean' }).notNull(),
    /** `{can_send, errors}`, JSON; `null` before the platform said anything. */
    health: text('health'),
    /** The newest alert of each kind, JSON by kind. */
    alerts: text('alerts').notNull().default('{}'),
    /** Since when a call is under way that changes it at the platform. */
    busySinceMs: integer('busy_since_ms'),
    /**
     * Since when the platform was asked to make it, whose answer is not known: it may have it under
     * this name.
     */
    creatingSinceMs: integer('creating_since_ms'),
    responseCount: integer('response_count').notNull().default(0),
    syncedAtMs: integer('synced_at_ms'),
    createdBy: text('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** When a person deleted it: nobody is shown it any more. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check(
      'flows_made',
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

/**
 * What a form's endpoint was asked lately and what it answered, without what people filled in; the
 * newest 500 of each form.
 */
export const flowExchanges = sqliteTable(
  'flow_exchanges',
  {
    organizationId: text('organization_id').notNull(),
    /** Newer ones have higher numbers. */
    id: text('id').notNull(),
    flowId: text('flow_id').notNull(),
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
