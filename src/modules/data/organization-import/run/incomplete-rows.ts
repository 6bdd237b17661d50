import { eq } from 'drizzle-orm'

import { slugOf } from '../../../../lib/slug'
import type { Ctx } from '../../../../infra/ctx'
import { organizations } from '../../../organization/organizations/table'
import type { RowToStore } from '../archive/row-reader'

/** Returns how the organization is stored until it is complete: nobody sees it. */
export const awaitingOrganization =
  (ctx: Ctx) =>
  (row: RowToStore): RowToStore => ({
    ...row,
    slug: freeSlug(ctx, String(row['slug']), String(row['name'])),
    state: 'importing',
    deletes_at_ms: null,
    moved_to: null,
  })

/** Returns the slug of the archive, or a new one if another organization has it. */
function freeSlug(ctx: Ctx, wanted: string, name: string): string {
  const isFree = (slug: string): boolean =>
    ctx.db.orm
      .select({ id: organizations.id })
      .from(organizations)
      .where(eq(organizations.slug, slug))
      .get() === undefined
  for (let slug = wanted; ; slug = slugOf(name, ctx.ids.suffix())) if (isFree(slug)) return slug
}

/**
 * Returns how a phone number is stored until the organization is complete: disconnected and without
 * secrets, so that nothing is received or sent.
 */
export const awaitingAccount =
  (ctx: Ctx) =>
  (row: RowToStore): RowToStore => ({
    ...Object.fromEntries(
      Object.entries(row).map(([column, value]) => [
        column,
        column.endsWith('_sealed') ? null : value,
      ]),
    ),
    verify_token_hash: null,
    deleted_at_ms: row['deleted_at_ms'] ?? ctx.clock.nowMs(),
  })
