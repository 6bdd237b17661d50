import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** URLs of an organization that receive events as signed requests. */
export const webhookEndpoints = tableWithoutPeople(
  'webhook_endpoints',
  'addresses, settings and states of programs',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The folded name, unique among the endpoints that are not deleted. */
    nameKey: text('name_key').notNull(),
    url: text('url').notNull(),
    /** Chosen event types and patterns, JSON. */
    events: text('events').notNull(),
    /**
     * Types and patterns that were chosen earlier, JSON. Deliveries of them can still be sent, so
     * they count when the URL changes.
     */
    pastEvents: text('past_events').notNull().default('[]'),
    /** Phone numbers whose events are sent, JSON; empty for all. */
    accountIds: text('account_ids').notNull().default('[]'),
    /** Names of the custom headers, JSON; their values are in `headersSealed`. */
    headerNames: text('header_names').notNull().default('[]'),
    headersSealed: text('headers_sealed'),
    secretSealed: text('secret_sealed').notNull(),
    previousSecretSealed: text('previous_secret_sealed'),
    previousExpiresAtMs: integer('previous_expires_at_ms'),
    concurrency: integer('concurrency').notNull().default(8),
    ratePerSecond: integer('rate_per_second'),
    ordering: text('ordering', { enum: ['none', 'per_contact'] })
      .notNull()
      .default('none'),
    includePhoneNumbers: integer('include_phone_numbers', { mode: 'boolean' })
      .notNull()
      .default(true),
    /** Position in the event log after which its events begin. */
    sincePosition: integer('since_position').notNull(),
    disabledAtMs: integer('disabled_at_ms'),
    disabledReason: text('disabled_reason', { enum: ['manual', 'failing_5_days', 'gone'] }),
    /** First failure after the last success. */
    failingSinceMs: integer('failing_since_ms'),
    /** Failures since the last success, and the delivery of the first one. */
    failures: integer('failures').notNull().default(0),
    firstFailedId: uuid('first_failed_id'),
    /** Set while only one delivery at a time is tried; when the next one may be, and how many were. */
    downSinceMs: integer('down_since_ms'),
    nextProbeAtMs: integer('next_probe_at_ms'),
    probes: integer('probes').notNull().default(0),
    /** Notices sent since `failingSinceMs`: 0, 1 after a day, 2 after three. */
    notices: integer('notices').notNull().default(0),
    /** When the last notice of too many waiting deliveries was sent. */
    backlogNoticeAtMs: integer('backlog_notice_at_ms'),
    /** Deliveries that were missed since it was disabled. */
    missed: integer('missed').notNull().default(0),
    lastSuccessAtMs: integer('last_success_at_ms'),
    lastFailureAtMs: integer('last_failure_at_ms'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('webhook_endpoints_name')
      .on(table.organizationId, table.nameKey)
      .where(sql`${table.deletedAtMs} is null`),
    check(
      'webhook_endpoints_disabled',
      sql`(${table.disabledAtMs} is null) = (${table.disabledReason} is null)`,
    ),
    check(
      'webhook_endpoints_previous',
      sql`(${table.previousSecretSealed} is null) = (${table.previousExpiresAtMs} is null)`,
    ),
  ],
)

/** Rendered events, once per event and way of showing phone numbers. */
export const webhookPayloads = tableWithPeople(
  'webhook_payloads',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id').notNull().business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').business(),
    /** The signed bytes, JSON. */
    body: text('body')
      .notNull()
      .personal({ withheld: 'a copy of what is exported as events and messages' }),
    /** Whether it was rendered without whole phone numbers. */
    isMasked: integer('is_masked', { mode: 'boolean' }).notNull().business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId],
      foreignColumns: [organizations.id],
    }),
    index('webhook_payloads_of_contact')
      .on(table.organizationId, table.contactId)
      .where(sql`${table.contactId} is not null`),
    index('webhook_payloads_age').on(table.createdAtMs),
  ],
)

/** One event for one endpoint: stored before it is tried. */
export const webhookDeliveries = tableWithoutPeople(
  'webhook_deliveries',
  'ids, states and times; what was sent is in webhook_payloads',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    /** The delivery whose `webhook-id` it repeats; `null` for its own. */
    originalId: uuid('original_id'),
    payloadId: uuid('payload_id').notNull(),
    event: text('event').notNull(),
    /** Number of the event in the organization's log; 0 for a test. */
    seq: integer('seq').notNull(),
    contactId: uuid('contact_id'),
    state: text('state', {
      enum: ['pending', 'delivered', 'exhausted', 'cancelled', 'missed'],
    }).notNull(),
    attempts: integer('attempts').notNull().default(0),
    createdAtMs: integer('created_at_ms').notNull(),
    nextAttemptAtMs: integer('next_attempt_at_ms'),
    firstFailedAtMs: integer('first_failed_at_ms'),
    lastStatusCode: integer('last_status_code'),
    lastError: text('last_error'),
    deliveredAtMs: integer('delivered_at_ms'),
    isManual: integer('is_manual', { mode: 'boolean' }).notNull().default(false),
    replayId: uuid('replay_id'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.endpointId],
      foreignColumns: [webhookEndpoints.organizationId, webhookEndpoints.id],
    }),
    index('webhook_deliveries_recent').on(
      table.organizationId,
      table.endpointId,
      table.createdAtMs,
      table.id,
    ),
    index('webhook_deliveries_undelivered')
      .on(table.organizationId, table.endpointId, table.state, table.createdAtMs, table.id)
      .where(sql`${table.state} <> 'delivered'`),
    index('webhook_deliveries_of_contact')
      .on(table.organizationId, table.contactId, table.endpointId, table.createdAtMs, table.id)
      .where(sql`${table.contactId} is not null`),
    index('webhook_deliveries_of_payload').on(table.organizationId, table.payloadId),
    check('webhook_deliveries_attempts', sql`${table.attempts} >= 0`),
    check(
      'webhook_deliveries_delivered',
      sql`(${table.state} = 'delivered') = (${table.deliveredAtMs} is not null)`,
    ),
  ],
)

const ANSWERED = 'what a program of the organization answered'

/** What can fail of a request. */
export const ERROR_KINDS = [
  'dns',
  'connect',
  'tls',
  'protocol',
  'timeout',
  'refused_address',
  'redirect',
  'status',
  'body',
] as const
export type ErrorKind = (typeof ERROR_KINDS)[number]

/** One request to an endpoint, written when it ends. */
export const webhookAttempts = storedByKey(
  tableWithPeople(
    'webhook_attempts',
    { of: 'contacts', erased: 'columns' },
    {
      organizationId: uuid('organization_id').notNull().business(),
      deliveryId: uuid('delivery_id').notNull().business(),
      number: integer('number').notNull().business(),
      atMs: integer('at_ms').notNull().business(),
      durationMs: integer('duration_ms').notNull().business(),
      statusCode: integer('status_code').business(),
      errorKind: text('error_kind', { enum: ERROR_KINDS }).business(),
      /** Safe headers of the response, JSON; `null` for none. */
      responseHeaders: text('response_headers').personal({ withheld: ANSWERED }),
      responseExcerpt: text('response_excerpt').personal({ withheld: ANSWERED }),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.deliveryId, table.number] }),
      foreignKey({
        columns: [table.organizationId, table.deliveryId],
        foreignColumns: [webhookDeliveries.organizationId, webhookDeliveries.id],
      }),
    ],
  ),
)

/** Results of the requests to an endpoint, by hour, and of deliveries that were given up. */
export const webhookHours = storedByKey(
  tableWithoutPeople(
    'webhook_hours',
    'counts',
    {
      organizationId: uuid('organization_id').notNull(),
      endpointId: uuid('endpoint_id').notNull(),
      /** Start of the hour, epoch milliseconds. */
      hourMs: integer('hour_ms').notNull(),
      delivered: integer('delivered').notNull().default(0),
      failed: integer('failed').notNull().default(0),
    },
    (table) => [
      primaryKey({ columns: [table.organizationId, table.endpointId, table.hourMs] }),
      foreignKey({
        columns: [table.organizationId, table.endpointId],
        foreignColumns: [webhookEndpoints.organizationId, webhookEndpoints.id],
      }),
    ],
  ),
)

/** Deliveries made again for a range of time. */
export const webhookReplays = tableWithoutPeople(
  'webhook_replays',
  'settings, states and counts',
  {
    organizationId: uuid('organization_id').notNull(),
    id: uuid('id').notNull(),
    endpointId: uuid('endpoint_id').notNull(),
    state: text('state', { enum: ['running', 'done', 'stopped'] }).notNull(),
    fromMs: integer('from_ms').notNull(),
    toMs: integer('to_ms').notNull(),
    /** Chosen event types, JSON; `null` for all. */
    events: text('events'),
    onlyFailed: integer('only_failed', { mode: 'boolean' }).notNull(),
    /** Whether all of them were made again; they may not have been sent yet. */
    isQueued: integer('is_queued', { mode: 'boolean' }).notNull().default(false),
    /** The last delivery that was made again. */
    afterId: uuid('after_id'),
    total: integer('total').notNull(),
    delivered: integer('delivered').notNull().default(0),
    failed: integer('failed').notNull().default(0),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    endedAtMs: integer('ended_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.endpointId],
      foreignColumns: [webhookEndpoints.organizationId, webhookEndpoints.id],
    }),
    index('webhook_replays_of_endpoint').on(table.organizationId, table.endpointId, table.id),
  ],
)

/** A single row: the position in the event log up to which deliveries were made. */
export const webhookReader = tableWithoutPeople('webhook_reader', 'a position in the event log', {
  id: integer('id').primaryKey(),
  position: integer('position').notNull(),
})
