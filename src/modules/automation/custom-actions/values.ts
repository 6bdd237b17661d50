import type { Ctx } from '../../../infra/ctx'
import { contactViews } from '../../inbox/contacts/load-views'
import { nameOf, type ContactRow } from '../../inbox/contacts/view'
import { sharedSight } from '../../inbox/contacts/sight/visible-history'
import { getOrganization } from '../../organization/organizations/service'
import { findUser } from '../../organization/users/service'
import type { ActionValues } from './variables'

/** The person who runs an action, and whether phone numbers are masked for that person. */
interface ActionCaller {
  userId: string
  isMasked: boolean
}

/** Returns the values of the variables of an action that somebody runs on a contact. */
export function valuesFor(
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
  contact: ContactRow,
  { userId, isMasked }: ActionCaller,
): ActionValues {
  const user = findUser(ctx, userId)
  const { id, name, slug } = getOrganization(ctx)
  return {
    contact: {
      ...contactViews(ctx, [contact], sharedSight(ctx, isMasked))[0],
      name: nameOf(contact, isMasked),
    },
    user: { id: userId, name: user?.fullName ?? '', email: user?.email ?? '' },
    organization: { id, name, slug },
  }
}
