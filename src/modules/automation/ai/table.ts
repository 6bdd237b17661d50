import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithPeople, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { accounts } from '../../channel/accounts/table'
import { contacts } from '../../inbox/contacts/table'
import { organizations } from '../../organization/organizations/table'

/** Knowledge for AI answers: own text, a document, or the answer of an API. */
export const aiContexts = tableWithoutPeople(
  'ai_contexts',
  'knowledge that the organization publishes through its bot',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    /** The only number that uses it; `null` for every number. */
    accountId: uuid('account_id'),
    name: text('name').notNull(),
    /** The name in lower case; unique. */
    nameKey: text('name_key').notNull(),
    type: text('type', { enum: ['static', 'api'] }).notNull(),
    /** Text as it was typed; `null` if a document or an API provides it. */
    content: text('content'),
    /** `{url, method, headers[names], body, response_path, cache_seconds}`, JSON. */
    apiConfig: text('api_config'),
    /** Values of the headers, encrypted JSON. */
    headersSealed: text('headers_sealed'),
    /** JSON array. */
    triggerKeywords: text('trigger_keywords').notNull().default('[]'),
    priority: integer('priority').notNull(),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
    documentFilename: text('document_filename'),
    documentSizeBytes: integer('document_size_bytes'),
    documentState: text('document_state', { enum: ['reading', 'ready', 'failed'] }),
    documentError: text('document_error'),
    documentPages: integer('document_pages'),
    /** The uploaded file until it was read. */
    storedAs: text('stored_as'),
    /** Characters, bytes and chunks of the searchable text. */
    characters: integer('characters').notNull().default(0),
    textBytes: integer('text_bytes').notNull().default(0),
    chunks: integer('chunks').notNull().default(0),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check('ai_contexts_file', sql`${table.storedAs} is null or ${table.documentState} = 'reading'`),
    uniqueIndex('ai_contexts_name').on(table.organizationId, table.nameKey),
    index('ai_contexts_order').on(table.organizationId, table.priority, table.id),
  ],
)

/**
 * Parts of static contexts. The full-text index `ai_search` holds their words and is written by
 * `chunks.ts`.
 */
export const aiChunks = tableWithoutPeople(
  'ai_chunks',
  'parts of such knowledge',
  {
    row: integer('row').primaryKey({ autoIncrement: true }),
    organizationId: uuid('organization_id').notNull(),
    contextId: uuid('context_id').notNull(),
    /** Order in the context, from 0. */
    position: integer('position').notNull(),
    text: text('text').notNull(),
  },
  (table) => [
    foreignKey({
      columns: [table.organizationId, table.contextId],
      foreignColumns: [aiContexts.organizationId, aiContexts.id],
    }),
    uniqueIndex('ai_chunks_of_context').on(table.organizationId, table.contextId, table.position),
  ],
)

/** One row for each call of an AI provider. It is written before the call and settled after it. */
export const aiUsage = tableWithPeople(
  'ai_usage',
  { of: 'contacts', erased: 'columns' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    /** `null` for tests, and after the contact was erased. */
    contactId: uuid('contact_id').personal(),
    accountId: uuid('account_id').business(),
    purpose: text('purpose', { enum: ['answer', 'flow', 'preview', 'test'] })
      .notNull()
      .business(),
    provider: text('provider', { enum: ['openai', 'anthropic', 'google'] })
      .notNull()
      .business(),
    model: text('model').notNull().business(),
    /** Local date that its tokens count for, such as 20261121. */
    day: integer('day').notNull().business(),
    /** Estimate that the budget holds back until the call is settled. */
    reservedTokens: integer('reserved_tokens').notNull().business(),
    reservedMicros: integer('reserved_micros').notNull().business(),
    /** The provider's own counts; 0 if it reported none. */
    inputTokens: integer('input_tokens').notNull().default(0).business(),
    outputTokens: integer('output_tokens').notNull().default(0).business(),
    /** Cost in millionths of a US dollar; `null` if a price is missing. */
    costMicros: integer('cost_micros').business(),
    durationMs: integer('duration_ms').business(),
    outcome: text('outcome', {
      enum: ['answered', 'handover', 'off_topic', 'empty', 'failed', 'unknown', 'not_called'],
    }).business(),
    errorKind: text('error_kind').business(),
    httpStatus: integer('http_status').business(),
    createdAtMs: integer('created_at_ms').notNull().business(),
    /** When the call to the provider began. */
    startedAtMs: integer('started_at_ms').business(),
    settledAtMs: integer('settled_at_ms').business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check('ai_usage_settled', sql`(${table.outcome} is null) = (${table.settledAtMs} is null)`),
    index('ai_usage_of_contact')
      .on(table.organizationId, table.contactId, table.createdAtMs)
      .where(sql`${table.contactId} is not null`),
    index('ai_usage_recent').on(table.organizationId, table.createdAtMs, table.id),
    index('ai_usage_open')
      .on(table.createdAtMs)
      .where(sql`${table.settledAtMs} is null`),
  ],
)

/** What customers asked and no knowledge is about, a row for each time. */
export const aiQuestions = tableWithPeople(
  'ai_questions',
  { of: 'contacts', erased: 'rows' },
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id)
      .business(),
    id: uuid('id').notNull().business(),
    contactId: uuid('contact_id').notNull().personal(),
    /** The message it stands in, by which it follows a merge that is undone. */
    messageId: uuid('message_id').personal(),
    /** Its words alone: by them it is the same question. */
    key: text('key').notNull().personal(),
    text: text('text').notNull().personal(),
    askedAtMs: integer('asked_at_ms').notNull().business(),
    /** When somebody dealt with it. */
    doneAtMs: integer('done_at_ms').business(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.contactId],
      foreignColumns: [contacts.organizationId, contacts.id],
    }),
    index('ai_questions_by_key').on(table.organizationId, table.key),
    index('ai_questions_by_time').on(table.organizationId, table.askedAtMs, table.id),
    index('ai_questions_of_contact').on(table.organizationId, table.contactId),
  ],
)

/** Sums of AI usage by local day, for budgets and reports. They hold no personal data. */
export const aiDays = storedByKey(
  tableWithoutPeople(
    'ai_days',
    'sums by day',
    {
      organizationId: uuid('organization_id')
        .notNull()
        .references(() => organizations.id),
      /** Local date, such as 20261121. */
      day: integer('day').notNull(),
      requests: integer('requests').notNull().default(0),
      failed: integer('failed').notNull().default(0),
      handovers: integer('handovers').notNull().default(0),
      inputTokens: integer('input_tokens').notNull().default(0),
      outputTokens: integer('output_tokens').notNull().default(0),
      costMicros: integer('cost_micros').notNull().default(0),
      /** Calls without a known cost. */
      unpriced: integer('unpriced').notNull().default(0),
      /** Held back for calls that are not settled. */
      reservedTokens: integer('reserved_tokens').notNull().default(0),
      reservedMicros: integer('reserved_micros').notNull().default(0),
      /** When people were notified that the budget is used up. */
      notifiedAtMs: integer('notified_at_ms'),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.day] })],
  ),
)

/** Failures in a row of a provider. Five of them stop calls for a minute. */
export const aiBreakers = storedByKey(
  tableWithoutPeople(
    'ai_breakers',
    'failures of a provider',
    {
      organizationId: uuid('organization_id')
        .notNull()
        .references(() => organizations.id),
      /** Provider, address and model. */
      target: text('target').notNull(),
      failures: integer('failures').notNull(),
      openUntilMs: integer('open_until_ms'),
      updatedAtMs: integer('updated_at_ms').notNull(),
    },
    (table) => [primaryKey({ columns: [table.organizationId, table.target] })],
  ),
)
