import { eq } from 'drizzle-orm'

import { NotFoundError } from '../../../../lib/errors'
import { acrossOrganizations, inOrganization, type Ctx, type Deps } from '../../../../infra/ctx'
import { logoPath } from '../../../organization/organizations/logo'
import { getOrganization } from '../../../organization/organizations/service'
import type { Content } from '../content'
import type { BrandingView } from './model'
import { organizationBranding } from './table'

/** A row of the branding table. */
export type BrandingRow = typeof organizationBranding.$inferSelect

/** Returns the stored branding, or `null` if nothing was ever set. */
export const findBranding = (ctx: Pick<Ctx, 'db' | 'organizationId'>): BrandingRow | null =>
  ctx.db.orm
    .select()
    .from(organizationBranding)
    .where(inOrganization(ctx, organizationBranding))
    .get() ?? null

/** Returns how the organization looks. */
export function getBranding(ctx: Ctx): BrandingView {
  const row = findBranding(ctx)
  const logoName = row?.logoName ?? null
  return {
    name: getOrganization(ctx).name,
    logo_url: logoName === null ? null : logoPath(logoName),
    accent: row?.accent ?? null,
  }
}

/** Returns the file of a logo by its random public name. Throws NotFoundError. */
export function logoOf(deps: Deps, name: string): Content {
  const row = deps.db.orm
    .select()
    .from(organizationBranding)
    .where(
      acrossOrganizations(
        'the random name is all that is needed to see the logo',
        eq(organizationBranding.logoName, name),
      ),
    )
    .get()
  if (!row || row.storedAs === null) throw new NotFoundError('Logo')
  const type = row.mimeType ?? 'application/octet-stream'
  return {
    path: deps.files.pathOf(row.storedAs),
    sizeBytes: row.sizeBytes ?? 0,
    etag: `"${row.sha256 ?? ''}"`,
    mimeType: type,
    filename: `logo.${type.split('/')[1] ?? 'bin'}`,
    isInline: true,
  }
}
