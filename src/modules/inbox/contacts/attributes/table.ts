import { Type } from '@sinclair/typebox'
import { primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, json, text } from '../../../../infra/db/columns'
import { tableWithoutPeople } from '../../../../infra/db/define-table'
import { uuid } from '../../../../infra/db/uuid'
import { organizations } from '../../../organization/organizations/table'

/** Custom fields of contacts. */
export const contactAttributes = tableWithoutPeople(
  'contact_attributes',
  'names of custom fields; the values are in contacts',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    key: text('key').notNull(),
    label: text('label').notNull(),
    type: text('type', {
      enum: ['text', 'number', 'boolean', 'date', 'select', 'url', 'email'],
    }).notNull(),
    /** Options of a `select` field. */
    options: json('options', Type.Array(Type.String())).notNull().default([]),
    createdAtMs: integer('created_at_ms').notNull(),
    updatedAtMs: integer('updated_at_ms').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('contact_attributes_key').on(table.organizationId, table.key),
  ],
)
