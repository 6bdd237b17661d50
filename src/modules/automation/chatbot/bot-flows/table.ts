import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, json, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { lineText, oneOf } from '../../../../lib/fields'
import { accounts } from '../../../channel/accounts/table'
import { TAG_COLORS } from '../../../inbox/tags/table'
import { organizations } from '../../../organization/organizations/table'

/** How a trigger word is compared with a message. */
export const MATCH_TYPES = ['exact', 'contains', 'starts_with', 'regex'] as const

/** Methods of requests. */
export const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const orNull = <S extends TSchema>(schema: S) => Type.Union([schema, Type.Null()])
const message = orNull(Type.String({ minLength: 1, maxLength: 4_096 }))

export const PanelField = Type.Object({
  key: lineText(64, { description: 'Name of a variable.' }),
  label: lineText(100),
  order: Type.Integer({ minimum: 0, maximum: 1_000 }),
  display_type: oneOf(['text', 'badge', 'tag']),
  color: Type.Optional(orNull(oneOf(TAG_COLORS))),
})
export const PanelSection = Type.Object({
  id: lineText(64),
  label: lineText(100),
  columns: Type.Integer({ minimum: 1, maximum: 2 }),
  collapsible: Type.Boolean(),
  default_collapsed: Type.Boolean(),
  order: Type.Integer({ minimum: 0, maximum: 1_000 }),
  fields: Type.Array(PanelField, { maxItems: 50 }),
})
/** The panel that shows the variables of a session, in sections. */
export const PanelConfig = Type.Object(
  { sections: Type.Array(PanelSection) },
  { title: 'BotFlowPanel' },
)

/** Words that begin a flow. */
export const Keywords = Type.Array(lineText(500), { maxItems: 50 })

/** Settings of a bot flow that concern all its versions. Texts are templates. */
export const StoredSettings = Type.Object({
  initialMessage: message,
  completionMessage: message,
  onCompleteAction: oneOf(['none', 'webhook']),
  /** The request of a session that completes, kept while there is none. Header values are sealed apart. */
  completion: orNull(
    Type.Object({
      url: Type.String({ minLength: 1, maxLength: 2_000 }),
      method: oneOf(METHODS),
      headerNames: Type.Array(Type.String(), { maxItems: 20 }),
      body: orNull(Type.String({ minLength: 1, maxLength: 8_192 })),
    }),
  ),
  cancelKeywords: Type.Array(lineText(64), { maxItems: 50 }),
  cancelMessage: message,
  /** `null` follows the session timeout of the organization. */
  timeoutMinutes: orNull(Type.Integer({ minimum: 1, maximum: 1_440 })),
  timeoutMessage: message,
  panel: orNull(PanelConfig),
})
export type StoredSettings = Static<typeof StoredSettings>

/** Bot flows. The graph is in their versions; everything else takes effect at once. */
export const botFlows = tableWithoutPeople(
  'bot_flows',
  'texts and settings for everybody',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents; unique. */
    nameKey: text('name_key').notNull(),
    description: text('description'),
    /** Search text: name, description and trigger words without case and accents. */
    words: text('words').notNull(),
    /** The phone number it works on; `null` for all of them. */
    accountId: uuid('account_id'),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
    triggerKeywords: json('trigger_keywords', Keywords).notNull(),
    triggerMatchType: text('trigger_match_type', { enum: MATCH_TYPES }).notNull(),
    priority: integer('priority').notNull(),
    settings: json('settings', StoredSettings).notNull(),
    /** Header values of the completion webhook, JSON by name, encrypted. */
    completionHeadersSealed: text('completion_headers_sealed'),
    /** The newest published version; `null` before the first. */
    version: integer('version'),
    hasDraft: integer('has_draft', { mode: 'boolean' }).notNull(),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
    /** When a user deleted it. Sessions under way still read it. */
    deletedAtMs: integer('deleted_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.accountId],
      foreignColumns: [accounts.organizationId, accounts.id],
    }),
    check('bot_flows_graph', sql`${table.version} is not null or ${table.hasDraft} = 1`),
    check(
      'bot_flows_enabled',
      sql`${table.isEnabled} = 0 or (${table.version} is not null and ${table.deletedAtMs} is null)`,
    ),
    uniqueIndex('bot_flows_name')
      .on(table.organizationId, table.nameKey)
      .where(sql`${table.deletedAtMs} is null`),
    index('bot_flows_list')
      .on(table.organizationId, table.updatedAtMs, table.id)
      .where(sql`${table.deletedAtMs} is null`),
    index('bot_flows_enabled_list')
      .on(table.organizationId, table.id)
      .where(sql`${table.isEnabled} = 1`),
    index('bot_flows_deleted')
      .on(table.deletedAtMs)
      .where(sql`${table.deletedAtMs} is not null`),
  ],
)

/** The number that a draft has instead of a version. */
export const DRAFT = 0

/** Graphs of bot flows: the draft (version 0) and the published versions, which never change. */
export const botFlowVersions = tableWithoutPeople(
  'bot_flow_versions',
  'texts and settings for everybody',
  {
    organizationId: uuid('organization_id').notNull(),
    flowId: uuid('flow_id').notNull(),
    version: integer('version').notNull(),
    publishedAtMs: integer('published_at_ms'),
    publishedBy: uuid('published_by'),
    /** Header values of its nodes, JSON by node and name, encrypted. */
    headersSealed: text('headers_sealed'),
    /** JSON (`Graph`). Header values are left out. A draft may be invalid. */
    graph: text('graph').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.flowId, table.version] }),
    foreignKey({
      columns: [table.organizationId, table.flowId],
      foreignColumns: [botFlows.organizationId, botFlows.id],
    }),
    check(
      'bot_flow_versions_published',
      sql`(${table.version} = 0) = (${table.publishedAtMs} is null)`,
    ),
  ],
)

/** Kinds of things that a graph names. */
const REFERENCE_KINDS = ['bot_flow', 'flow', 'template', 'media', 'tag', 'team', 'user'] as const

/** The things that a version of a bot flow names, such as its templates and files. */
export const botFlowReferences = tableWithoutPeople(
  'bot_flow_references',
  'ids of what a bot flow names',
  {
    organizationId: uuid('organization_id').notNull(),
    flowId: uuid('flow_id').notNull(),
    version: integer('version').notNull(),
    kind: text('kind', { enum: REFERENCE_KINDS }).notNull(),
    targetId: uuid('target_id').notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.organizationId, table.flowId, table.version, table.kind, table.targetId],
    }),
    foreignKey({
      columns: [table.organizationId, table.flowId, table.version],
      foreignColumns: [
        botFlowVersions.organizationId,
        botFlowVersions.flowId,
        botFlowVersions.version,
      ],
    }),
    index('bot_flow_references_target').on(table.organizationId, table.kind, table.targetId),
  ],
)
