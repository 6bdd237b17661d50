import { inArray } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx, type Deps } from '../../../infra/ctx'
import { compiled } from '../../../infra/db/compiled'
import type { MailLogo } from '../../../infra/mail/link-mail'
import { organizationBranding } from '../../channel/media/branding/table'
import { organizations } from './table'

/** Returns the address of a logo on this server, by its public name. */
export const logoPath = (name: string): string => `/api/logos/${name}`

/** An organization as everybody may see it. */
export interface PublicLook {
  name: string
  /** Path of the logo on this server. */
  logoUrl: string
}

const logoNames = compiled((orm) =>
  orm
    .select({ name: organizationBranding.logoName })
    .from(organizationBranding)
    .where(inOrganization(anyScope, organizationBranding))
    .prepare(),
)

/** Returns the path of the logo of the organization, or `null` without one. */
export function findLogo(ctx: Pick<Ctx, 'db' | 'organizationId'>): string | null {
  const name = logoNames(ctx.db).get({ organizationId: ctx.organizationId })?.name ?? null
  return name === null ? null : logoPath(name)
}

/** Returns the logo of the organization for a mail; nothing without one. */
export function mailLogo(
  ctx: Pick<Ctx, 'db' | 'organizationId' | 'settings'>,
  name: string,
): { logo?: MailLogo } {
  const path = findLogo(ctx)
  return path === null ? {} : { logo: { url: ctx.settings.baseUrl + path, alt: name } }
}

const known = compiled((orm) =>
  orm
    .select({ id: organizations.id, name: organizations.name, state: organizations.state })
    .from(organizations)
    .where(inArray(organizations.state, ['active', 'deleting', 'importing', 'moving']))
    .limit(2)
    .prepare(),
)

/**
 * Returns the look of the only organization of the installation, which strangers may see; `null` if
 * there are several, or if it has no logo.
 */
export function findOnlyLook({ db }: Pick<Deps, 'db'>): PublicLook | null {
  const [only, another] = known(db).all()
  if (!only || another || only.state !== 'active') return null
  const logoUrl = findLogo({ db, organizationId: only.id })
  return logoUrl === null ? null : { name: only.name, logoUrl }
}
