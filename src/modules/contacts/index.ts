import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http'
import { IdParam, LongPageOf, longQuery } from '../../http/page'
import { ContactDetails, ContactView } from './model'
import { getContact, listContacts } from './queries'

const ContactsQuery = t.Object({
  ...longQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of a name, or a number in any form.' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  assigned_to: t.Optional(t.String({ pattern: '^(me|none|[0-9a-fA-F-]{36})$', description: 'A user id, `me` or `none`.' })),
  sort: t.Optional(t.UnionEnum(['last_message_at', 'created_at'], { default: 'last_message_at' })),
  order: t.Optional(t.UnionEnum(['asc', 'desc'], { default: 'desc' })),
})

/** Contacts. */
export const contactRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, cursor, search, account_id, assigned_to, sort = 'last_message_at', order = 'desc' } }) =>
        ok(listContacts(ctx, { page, limit, cursor, search, accountId: account_id, assignedTo: assigned_to, sort, order })),
      {
        can: 'contacts:read',
        query: ContactsQuery,
        response: { 200: Ok(LongPageOf(ContactView)) },
        detail: {
          summary: 'List contacts',
          description: 'Newest message first. Without contacts:read_all only those assigned to the caller.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getContact(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(ContactDetails) },
      detail: { summary: 'One contact with its identities' },
    })
