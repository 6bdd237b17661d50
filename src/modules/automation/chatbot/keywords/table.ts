import { Type, type Static, type TSchema } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import type { Hours } from '../../../../lib/business-hours'
import { freeObject, lineText, oneOf } from '../../../../lib/fields'
import { integer, json, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { accounts } from '../../../channel/accounts/table'
import { media } from '../../../channel/media/table'
import { organizations } from '../../../organization/organizations/table'
import { MATCH_TYPES } from '../bot-flows/table'

/** What a rule answers with. */
export const RESPONSE_TYPES = ['text', 'buttons', 'media', 'template', 'flow', 'transfer'] as const

const Uuid = Type.String({ format: 'uuid' })
const orNull = <S extends TSchema>(schema: S, description: string) =>
  Type.Union([schema, Type.Null()], { description })

/** A file that a rule can answer with. */
const MEDIA_KINDS = ['image', 'video', 'audio', 'document', 'sticker'] as const

/** A button in requests. */
export const NewButton = Type.Object({
  id: Type.Optional(
    lineText(200, {
      description:
        'Created if absent; a button with the same title keeps its ID. `rule:<id>` and ' +
        '`flow:<id>` lead to a rule or a flow.',
    }),
  ),
  title: lineText(20),
})

/** The content of a response. Which fields count depends on the type of the response. */
export const RuleContent = Type.Object({
  buttons: Type.Optional(
    Type.Array(NewButton, {
      minItems: 1,
      maxItems: 10,
      description: 'For `buttons`: up to three reply buttons; more become a list.',
    }),
  ),
  header: Type.Optional(orNull(lineText(60), 'For `buttons`.')),
  footer: Type.Optional(orNull(lineText(60), 'For `buttons`.')),
  media_id: Type.Optional(orNull(Uuid, 'For `media`: an uploaded file, or `url`.')),
  url: Type.Optional(
    orNull(Type.String({ minLength: 1, maxLength: 2_000 }), 'For `media`: a public HTTPS URL.'),
  ),
  kind: Type.Optional(oneOf(MEDIA_KINDS, { description: 'For `media`.' })),
  filename: Type.Optional(orNull(lineText(240), 'For `media` of the kind `document`.')),
  template_id: Type.Optional(Type.String({ format: 'uuid', description: 'For `template`.' })),
  params: Type.Optional(
    freeObject({
      description: 'For `template`: values of its placeholders by name, Liquid templates.',
    }),
  ),
  flow_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'For `flow`: the conversation flow.' }),
  ),
  team_id: Type.Optional(
    orNull(
      Type.Union([Uuid, Type.Literal('general')]),
      'For `transfer`: the team; `general` or `null` = the general queue.',
    ),
  ),
  notes: Type.Optional(
    orNull(Type.String({ maxLength: 4_096 }), 'For `transfer`: a note, a Liquid template.'),
  ),
})
export type RuleContent = Static<typeof RuleContent>

/** Keyword rules: answers to messages that contain certain words. */
export const keywordRules = tableWithoutPeople(
  'keyword_rules',
  'texts and settings for everybody',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name without case and accents; unique. */
    nameKey: text('name_key').notNull(),
    /** Search text: name, keywords and response without case and accents. */
    words: text('words').notNull(),
    keywords: json('keywords', Type.Array(Type.String())).notNull(),
    matchType: text('match_type', { enum: MATCH_TYPES }).notNull(),
    isCaseSensitive: integer('is_case_sensitive', { mode: 'boolean' }).notNull(),
    isWholeWord: integer('is_whole_word', { mode: 'boolean' }).notNull(),
    responseType: text('response_type', { enum: RESPONSE_TYPES }).notNull(),
    /** Template of the text or caption. */
    response: text('response'),
    responseContent: json('response_content', RuleContent).notNull(),
    /** The file of a media response, so that it is kept. */
    mediaId: uuid('media_id'),
    priority: integer('priority').notNull(),
    isEnabled: integer('is_enabled', { mode: 'boolean' }).notNull(),
    /** The phone number it works on; null for all of them. */
    accountId: uuid('account_id'),
    activeFromMs: integer('active_from_ms'),
    activeUntilMs: integer('active_until_ms'),
    /** Weekly hours in which it works; an empty list for always. */
    activeHours: json('active_hours', Type.Unsafe<Hours>({})).notNull(),
    interruptsFlow: integer('interrupts_flow', { mode: 'boolean' }).notNull(),
    hitCount: integer('hit_count').notNull().default(0),
    lastHitAtMs: integer('last_hit_at_ms'),
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
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    check('keyword_rules_keywords', sql`json_array_length(${table.keywords}) > 0`),
    uniqueIndex('keyword_rules_name').on(table.organizationId, table.nameKey),
    index('keyword_rules_list').on(table.organizationId, table.priority, table.id),
    index('keyword_rules_media')
      .on(table.organizationId, table.mediaId)
      .where(sql`${table.mediaId} is not null`),
  ],
)

/**
 * The number of changes to the keyword rules and flow triggers of each organization. Triggers raise
 * it (`triggers.sql`), so that a compiled set of rules is known to be old in every process.
 */
export const keywordRevisions = tableWithoutPeople('keyword_revisions', 'a counter', {
  organizationId: uuid('organization_id')
    .primaryKey()
    .references(() => organizations.id),
  revision: integer('revision').notNull(),
})
