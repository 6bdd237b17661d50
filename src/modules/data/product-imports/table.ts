import { sql } from 'drizzle-orm'
import { foreignKey, primaryKey, uniqueIndex } from 'drizzle-orm/sqlite-core'

import { integer, text } from '../../../infra/db/columns'
import { storedByKey, tableWithoutPeople } from '../../../infra/db/define-table'
import { uuid } from '../../../infra/db/uuid'
import { organizations } from '../../organization/organizations/table'

/** The kinds of things that are brought over, in the order in which they are. */
export const KINDS = [
  'number',
  'agent',
  'template',
  'tag',
  'canned_response',
  'contact',
  'note',
  'conversation',
  'message',
] as const
/** Imports from other products. A repeated one goes on with the same row. */
export const productImports = tableWithoutPeople(
  'product_imports',
  'names of products and times',
  {
    organizationId: uuid('organization_id')
      .notNull()
      .references(() => organizations.id),
    id: uuid('id').notNull(),
    product: text('product', { enum: ['chatwoot', 'whatomate'] }).notNull(),
    /** The account or organization there. */
    origin: text('origin').notNull(),
    state: text('state', { enum: ['running', 'completed', 'undoing', 'undone'] }).notNull(),
    startedAtMs: integer('started_at_ms').notNull(),
    /** When the last run ended; `null` before. */
    finishedAtMs: integer('finished_at_ms'),
  },
  (table) => [
    primaryKey({ columns: [table.organizationId, table.id] }),
    uniqueIndex('product_imports_origin')
      .on(table.organizationId, table.product, table.origin)
      .where(sql`${table.state} <> 'undone'`),
  ],
)

/** What became of each thing of an import, for the next run, the report and the undo. */
export const productImportItems = storedByKey(
  tableWithoutPeople(
    'product_import_items',
    'ids and outcomes',
    {
      organizationId: uuid('organization_id').notNull(),
      importId: uuid('import_id').notNull(),
      kind: text('kind', { enum: KINDS }).notNull(),
      /** The ID in the other product. */
      sourceId: text('source_id').notNull(),
      /** What it is here. */
      targetId: uuid('target_id'),
      outcome: text('outcome', { enum: ['new', 'joined', 'left_out'] }).notNull(),
      reason: text('reason'),
      /** What the undo and the next run need to know, JSON. */
      details: text('details'),
    },
    (table) => [
      primaryKey({
        columns: [table.organizationId, table.importId, table.kind, table.sourceId],
      }),
      foreignKey({
        columns: [table.organizationId, table.importId],
        foreignColumns: [productImports.organizationId, productImports.id],
      }),
    ],
  ),
)
