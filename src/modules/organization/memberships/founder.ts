import { asc, eq } from 'drizzle-orm'

import { anyScope, inOrganization, type Ctx } from '../../../infra/ctx'
import { compiled, atMost } from '../../../infra/db/compiled'
import { users } from '../users/table'
import { memberships } from './table'

const oldestMember = compiled((orm) =>
  orm
    .select({ language: users.language })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(inOrganization(anyScope, memberships))
    .orderBy(asc(memberships.id))
    .limit(atMost(1))
    .prepare(),
)

/** Returns the language of the organization's oldest member (BCP 47), or `null`. */
export const founderLanguage = ({
  db,
  organizationId,
}: Pick<Ctx, 'db' | 'organizationId'>): string | null =>
  oldestMember(db).get({ organizationId })?.language ?? null
