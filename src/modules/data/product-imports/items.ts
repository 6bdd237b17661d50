import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { Database } from 'bun:sqlite'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, place } from '../../../infra/db/compiled'
import { of } from '../../../infra/scoped'
import type { ProductThing } from './model'
import { productImportItems } from './table'

export type ProductItem = typeof productImportItems.$inferSelect

/** What became of a thing. */
export type ThingOutcome = Pick<ProductItem, 'outcome'> &
  Partial<Pick<ProductItem, 'targetId' | 'reason' | 'details'>>

/** How many things of a kind had the same outcome. */
export type Count = Pick<ProductItem, 'kind' | 'outcome' | 'reason'> & { things: number }

/** What became of the things of an import. */
export interface Items {
  get: (kind: ProductThing, sourceId: string) => Required<ThingOutcome> | null
  put: (kind: ProductThing, sourceId: string, outcome: ThingOutcome) => void
  /** Whether a check meets this for the first time. What is stored knows by itself. */
  isFirst: (key: string) => boolean
  counts: () => Count[]
  /** Things with a reason after a place, by kind and ID. */
  told: (after: Pick<ProductItem, 'kind' | 'sourceId'> | null, limit: number) => ProductItem[]
}

const itemOf = compiled((orm) =>
  orm
    .select()
    .from(productImportItems)
    .where(
      inOrganization(
        anyScope,
        productImportItems,
        and(
          eq(productImportItems.importId, place(productImportItems.importId, 'importId')),
          eq(productImportItems.kind, place(productImportItems.kind, 'kind')),
          eq(productImportItems.sourceId, place(productImportItems.sourceId, 'sourceId')),
        ),
      ),
    )
    .prepare(),
)

const putItem = compiled((orm) =>
  orm
    .insert(productImportItems)
    .values({
      organizationId: sql.placeholder('organizationId'),
      importId: sql.placeholder('importId'),
      kind: sql.placeholder('kind'),
      sourceId: sql.placeholder('sourceId'),
      targetId: sql.placeholder('targetId'),
      outcome: sql.placeholder('outcome'),
      reason: sql.placeholder('reason'),
      details: sql.placeholder('details'),
    })
    .onConflictDoUpdate({
      target: [
        productImportItems.organizationId,
        productImportItems.importId,
        productImportItems.kind,
        productImportItems.sourceId,
      ],
      set: {
        targetId: sql`excluded.target_id`,
        outcome: sql`excluded.outcome`,
        reason: sql`excluded.reason`,
        details: sql`excluded.details`,
      },
    })
    .prepare(),
)

const NOTHING = { targetId: null, reason: null, details: null }

/** The items of a stored import. `put` runs inside the transaction that is open. */
export function storedItems(ctx: Ctx, importId: string): Items {
  const { organizationId, db } = ctx
  const own = { organizationId, importId }
  return {
    get: (kind, sourceId) => itemOf(db).get({ ...own, kind, sourceId }) ?? null,
    put(kind, sourceId, outcome) {
      putItem(db).run({ ...own, kind, sourceId, ...NOTHING, ...outcome })
    },
    isFirst: () => true,
    counts: () =>
      db.orm
        .select({
          kind: productImportItems.kind,
          outcome: productImportItems.outcome,
          reason: productImportItems.reason,
          things: sql<number>`count(*)`,
        })
        .from(productImportItems)
        .where(inOrganization(ctx, productImportItems, eq(productImportItems.importId, importId)))
        .groupBy(productImportItems.kind, productImportItems.outcome, productImportItems.reason)
        .all(),
    told: (after, limit) =>
      of(ctx, productImportItems).list({
        where: [
          { importId },
          sql`${productImportItems.reason} is not null`,
          after === null
            ? undefined
            : gt(
                sql`(${productImportItems.kind}, ${productImportItems.sourceId})`,
                sql`(${after.kind}, ${after.sourceId})`,
              ),
        ],
        order: [asc(productImportItems.kind), asc(productImportItems.sourceId)],
        limit,
      }),
  }
}

/** The items of a check, in a file that goes with the process. Call `close` at the end. */
export function checkedItems(): Items & { close: () => void } {
  const sqlite = new Database('')
  sqlite.run('pragma journal_mode = off')
  sqlite.run(
    'create table items (kind text, sourceId text, targetId text, outcome text, reason text, details text, primary key (kind, sourceId)) without rowid',
  )
  sqlite.run('create table met (key text primary key) without rowid')
  return {
    get: (kind, sourceId) =>
      sqlite
        .query<Required<ThingOutcome>, [string, string]>(
          'select targetId, outcome, reason, details from items where kind = ? and sourceId = ?',
        )
        .get(kind, sourceId),
    put: (kind, sourceId, { outcome, targetId = null, reason = null, details = null }) =>
      void sqlite
        .query('insert or replace into items values (?, ?, ?, ?, ?, ?)')
        .run(kind, sourceId, targetId, outcome, reason, details),
    isFirst: (key) => sqlite.query('insert or ignore into met values (?)').run(key).changes > 0,
    counts: () =>
      sqlite
        .query<Count, []>(
          'select kind, outcome, reason, count(*) as things from items group by kind, outcome, reason',
        )
        .all(),
    told: (after, limit) =>
      sqlite
        .query<ProductItem, [string, string, number]>(
          'select * from items where reason is not null and (kind, sourceId) > (?, ?) order by kind, sourceId limit ?',
        )
        .all(after?.kind ?? '', after?.sourceId ?? '', limit),
    close: () => sqlite.close(),
  }
}
