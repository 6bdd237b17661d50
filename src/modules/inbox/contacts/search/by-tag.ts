import { and, asc, eq, gt, inArray, or, sql } from 'drizzle-orm'

import { validIds, isUuid } from '../../../../lib/ids'
import { ROWS_PER_READ, type Candidates } from '../../../../infra/bounded-list'
import { anyScope, inOrganization } from '../../../../infra/ctx'
import { compiled } from '../../../../infra/db/compiled'
import { tags } from '../../tags/table'
import { tagKey } from '../../tags/queries'
import { contactTags } from '../table'
import { type Scope, idsInOrder } from './candidates'
import { uuidPlaceholder } from '../../../../infra/db/uuid'

/** Returns the tags with these IDs or names, and the number of contacts that have each. */
export const namedTags = (ctx: Scope, names: string[]): { id: string; carriers: number }[] => {
  const ids = validIds(names)
  const keys = names.filter((name) => !isUuid(name)).map(tagKey)
  return ctx.db.orm
    .select({ id: tags.id, carriers: tags.contactCount })
    .from(tags)
    .where(
      inOrganization(
        ctx,
        tags,
        or(
          ids.length === 0 ? undefined : inArray(tags.id, ids),
          keys.length === 0 ? undefined : inArray(tags.nameKey, keys),
        ) ?? sql`0`,
      ),
    )
    .all()
}

/** Returns the contacts that have one of these tags. */
export function contactsByTags(ctx: Scope, tagged: { id: string; carriers: number }[]): Candidates {
  return {
    size: tagged.reduce((sum, { carriers }) => sum + carriers, 0),
    *batches() {
      for (const { id } of tagged)
        yield* idsInOrder((after) =>
          carriersAfter(ctx.db).all({ organizationId: ctx.organizationId, tagId: id, after }),
        )
    },
  }
}

const carriersAfter = compiled((orm) =>
  orm
    .select({ id: contactTags.contactId })
    .from(contactTags)
    .where(
      inOrganization(
        anyScope,
        contactTags,
        and(
          eq(contactTags.tagId, uuidPlaceholder('tagId')),
          gt(contactTags.contactId, uuidPlaceholder('after')),
        ),
      ),
    )
    .orderBy(asc(contactTags.contactId))
    .limit(ROWS_PER_READ)
    .prepare(),
)
