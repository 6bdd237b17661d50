import { desc, sql } from 'drizzle-orm'

import { isoTime, isoTimeOrNull } from '../../../lib/clock'
import { acrossOrganizations, type Deps } from '../../../infra/ctx'
import { productImports } from './table'

/** How many imports a list has at most. */
const MAX_LISTED = 1_000

/** Returns the imports of all organizations, newest first. */
export const listImports = ({ db }: Pick<Deps, 'db'>) =>
  db.orm
    .select()
    .from(productImports)
    .where(acrossOrganizations('the operator lists all of them', sql`true`))
    .orderBy(desc(productImports.startedAtMs))
    .limit(MAX_LISTED)
    .all()
    .map((row) => ({
      id: row.id,
      organization_id: row.organizationId,
      product: row.product,
      origin: row.origin,
      state: row.state,
      started_at: isoTime(row.startedAtMs),
      finished_at: isoTimeOrNull(row.finishedAtMs),
    }))
