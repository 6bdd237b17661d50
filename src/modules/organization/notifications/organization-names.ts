import { eq } from 'drizzle-orm'

import type { Deps } from '../../../infra/ctx'
import { organizations } from '../organizations/table'

/**
 * Returns what stands for the name of another organization in a notification. The name itself is not
 * stored there: it would stay when that organization is erased, and travel with the one that the
 * notification belongs to.
 */
export const nameOfOrganization = (id: string): string => `{organization ${id}}`

const NAMED = /\{organization ([0-9a-f-]{36})\}/g

/** Returns a text of a notification with the names of the organizations that are here. */
export const withOrganizationNames = ({ db }: Pick<Deps, 'db'>, text: string): string =>
  text.replace(
    NAMED,
    (_, id: string) =>
      db.orm
        .select({ name: organizations.name })
        .from(organizations)
        .where(eq(organizations.id, id))
        .get()?.name ?? `An organization that is not here any more (${id})`,
  )
