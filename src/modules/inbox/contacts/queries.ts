import type { Ctx } from '../../../infra/ctx'
import { contactDetails } from './load-views'
import type { ContactDetails } from './model'
import { sightOf } from './sight/visible-history'
import { getVisibleContact } from './sight/visibility'

/** Returns a contact the caller can see, with its identities. Throws NotFoundError. */
export const getContact = (ctx: Ctx, id: string): ContactDetails =>
  contactDetails(ctx, getVisibleContact(ctx, id), sightOf(ctx))
