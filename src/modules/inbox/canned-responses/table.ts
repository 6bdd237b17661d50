import { Type } from '@sinclair/typebox'
import { sql } from 'drizzle-orm'
import { foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, json, text } from '../../../infra/db/columns'
import { tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { media } from '../../channel/media/table'
import { organizations } from '../../organization/organizations/table'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** Buttons as they are stored and shown: with the fields of their type only. */
export const CannedButtons = Type.Array(
  Type.Object(
    {
      id: Type.String(),
      title: Type.String(),
      type: Type.String({ enum: ['reply', 'url', 'phone', 'flow'] }),
      url: textOrNull,
      phone_number: textOrNull,
      flow_id: textOrNull,
    },
    { title: 'CannedButtonView' },
  ),
)

/** Canned responses. */
export const cannedResponses = tableWithoutPeople(
  'canned_responses',
  'texts for everybody',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    /** The name in lower case; unique. */
    nameKey: text('name_key').notNull(),
    content: text('content').notNull(),
    shortcut: text('shortcut'),
    /** Search text: name, content and shortcut without case and accents. */
    words: text('words').notNull().default(''),
    category: text('category').notNull(),
    isActive: integer('is_active', { mode: 'boolean' }).notNull(),
    usageCount: integer('usage_count').notNull().default(0),
    buttons: json('buttons', CannedButtons).notNull().default([]),
    mediaId: uuid('media_id'),
    createdBy: uuid('created_by'),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    foreignKey({
      columns: [table.organizationId, table.mediaId],
      foreignColumns: [media.organizationId, media.id],
    }),
    uniqueIndex('canned_responses_name').on(table.organizationId, table.nameKey),
    uniqueIndex('canned_responses_shortcut')
      .on(table.organizationId, table.shortcut)
      .where(sql`${table.shortcut} is not null`),
    index('canned_responses_usage').on(table.organizationId, table.usageCount, table.id),
  ],
)
