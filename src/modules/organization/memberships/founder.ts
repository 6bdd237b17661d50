import { asc, eq, sql } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, atMost } from '../../../infra/db/compiled'
import { organizations } from '../organizations/table'
import { users } from '../users/table'
import { memberships } from './table'

const oldestMember = compiled((orm) =>
  orm
    .select({
      language: sql<string | null>`coalesce(${organizations.language}, ${users.language})`,
    })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .innerJoin(organizations, eq(organizations.id, memberships.organizationId))
    .where(inOrganization(anyScope, memberships))
    .orderBy(asc(memberships.id))
    .limit(atMost(1))
    .prepare(),
)

/** Returns the language of the organization, or else of its oldest member (BCP 47), or `null`. */
export const organizationLanguage = ({
  db,
  organizationId,
}: Pick<Ctx, 'db' | 'organizationId'>): string | null =>
  oldestMember(db).get({ organizationId })?.language ?? null
