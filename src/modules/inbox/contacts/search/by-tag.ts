import { inArray, or, sql } from 'drizzle-orm'

import { validIds, isUuid } from '../../../../lib/ids'
import { inOrganization } from '../../../../infra/ctx'
import { FEW, type IdSource } from '../../../../infra/read/ordered-list'
import type { ReadCtx } from '../../../../infra/read/read-ctx'
import { tags } from '../../tags/table'
import { tagKey } from '../../tags/queries'
import { contactTags } from '../table'

type Scope = Pick<ReadCtx, 'db' | 'organizationId'>

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
export const contactsWithTags = (
  ctx: Scope,
  tagged: { id: string; carriers: number }[],
): IdSource => {
  const isOne = inArray(
    contactTags.tagId,
    tagged.map(({ id }) => id),
  )
  return {
    ids: sql`select ${contactTags.contactId} from ${contactTags} where ${inOrganization(ctx, contactTags, isOne)}`,
    isFew: tagged.reduce((sum, { carriers }) => sum + carriers, 0) <= FEW,
  }
}
