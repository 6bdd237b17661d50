import { Elysia, t } from 'elysia'

import { storedId } from '../../lib/ids'
import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../http/pagination'
import { oneOf } from '../../lib/fields'
import { blockContact } from './block'
import { createContact, setTags, updateContact } from './create'
import {
  BlockedContact,
  ContactChanges,
  ContactDetails,
  ContactView,
  NewContact,
  NewTags,
  SessionData,
  TagsOfContact,
} from './model'
import {
  contactsOfSegment,
  getContact,
  getSessionData,
  listContacts,
  type ContactQuery,
} from './queries'
import { deleteTag } from './tags'

const ContactsQuery = t.Object({
  ...longQuery(),
  search: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 255,
      description:
        'The beginning of one or more words of the name, or at least two digits of the phone number, in any format.',
    }),
  ),
  account_id: t.Optional(t.String({ format: 'uuid', description: 'The account last used.' })),
  assigned_to: t.Optional(
    t.String({
      pattern: '^(me|none|[0-9a-fA-F-]{36})$',
      description: 'A user id, `me` or `none`.',
    }),
  ),
  tags: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Ids or names of tags, with commas between.',
    }),
  ),
  tags_mode: t.Optional(
    oneOf(['any', 'all'], {
      description: 'Whether one of the tags is enough; it is unless told otherwise.',
    }),
  ),
  consent: t.Optional(oneOf(['unknown', 'opted_in', 'opted_out'])),
  blocked: t.Optional(t.Boolean()),
  has_phone: t.Optional(t.Boolean()),
  segment_id: t.Optional(t.String({ format: 'uuid', description: 'A saved segment.' })),
  created_from: t.Optional(
    t.String({ format: 'date-time', description: 'Created then or later.' }),
  ),
  created_to: t.Optional(t.String({ format: 'date-time', description: 'Created before.' })),
  sort: t.Optional(
    oneOf(['last_message_at', 'created_at', 'name'], {
      description: '`last_message_at` unless told otherwise.',
    }),
  ),
  order: t.Optional(
    oneOf(['asc', 'desc'], { description: 'Newest first, names from A, unless told otherwise.' }),
  ),
})

/** What a list of contacts is asked for, as its query takes it. */
const listQuery = (query: typeof ContactsQuery.static): ContactQuery => {
  const { page = 1, limit = 20, cursor, search, sort = 'last_message_at' } = query
  const wanted = query.tags?.split(',').filter((tag) => tag.trim() !== '')
  return {
    ...{ page, limit, cursor, search, sort },
    order: query.order ?? (sort === 'name' ? ('asc' as const) : ('desc' as const)),
    accountId: query.account_id,
    assignedTo: query.assigned_to === undefined ? undefined : storedId(query.assigned_to),
    tags: wanted,
    tagsMode: query.tags_mode,
    consent: query.consent,
    isBlocked: query.blocked,
    hasPhone: query.has_phone,
    segmentId: query.segment_id,
    createdFromMs: query.created_from === undefined ? undefined : Date.parse(query.created_from),
    createdBeforeMs: query.created_to === undefined ? undefined : Date.parse(query.created_to),
  }
}

/** Contacts. */
export const contactRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .get('', async ({ ctx, query }) => ok(await listContacts(ctx, listQuery(query))), {
      can: 'contacts:read',
      refuses: ['400 segment_too_expensive'],
      query: ContactsQuery,
      response: { 200: Ok(LongPageOf(ContactView)) },
      detail: {
        operationId: 'listContacts',
        summary: 'List contacts',
        description:
          'Sorted by the newest message by default. Callers without `contacts:read_all` only see contacts that are assigned to them. `total` is null when a search matches many contacts; use `next_cursor` to read on.',
      },
    })
    .post('', ({ ctx, body, status }) => status(201, ok(createContact(ctx, body))), {
      can: 'contacts:create',
      refuses: ['400 not_a_member', '400 unknown_tag', '409 contact_exists'],
      body: NewContact,
      response: { 201: Ok(ContactView) },
      detail: {
        operationId: 'createContact',
        summary: 'Create a contact',
        description:
          'By a number or by the platform’s user id. A deleted contact comes back with its history. 409 `contact_exists`, with its id when the caller sees it. Who does not see all contacts becomes the assignee.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getContact(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(ContactDetails) },
      detail: { operationId: 'getContact', summary: 'One contact with its identities' },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateContact(ctx, params.id, body)), {
      can: 'contacts:update',
      refuses: ['400 not_a_member', '400 unknown_tag', '409 contact_exists'],
      params: IdParam,
      body: ContactChanges,
      response: { 200: Ok(ContactView) },
      detail: {
        operationId: 'updateContact',
        summary: 'Change a contact',
        description:
          'Only the fields sent change. 409 `contact_exists` for a number of another contact.',
      },
    })

/** Tags and block of a contact, and what a chatbot knows of it. */
export const contactStateRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .put('/:id/tags', ({ ctx, params, body }) => ok(setTags(ctx, params.id, body)), {
      can: 'contacts:update',
      refuses: ['400 unknown_tag'],
      params: IdParam,
      body: NewTags,
      response: { 200: Ok(TagsOfContact) },
      detail: {
        operationId: 'setContactTags',
        summary: 'Choose the tags of a contact',
        description: 'Replaces all of them. 400 `unknown_tag`.',
      },
    })
    .get('/:id/session-data', ({ ctx, params }) => ok(getSessionData(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(SessionData) },
      detail: {
        operationId: 'getContactSessionData',
        summary: 'What a chatbot session under way knows',
        description: 'All null while there is none.',
      },
    })
    .post('/:id/block', ({ ctx, params }) => ok(blockContact(ctx, params.id, true)), {
      can: 'contacts:update',
      params: IdParam,
      response: { 200: Ok(BlockedContact) },
      detail: {
        operationId: 'blockContact',
        summary: 'Block a contact',
        description:
          'What it writes is stored silently and nothing can be sent to it. The platform is asked to keep it away as well.',
      },
    })
    .delete('/:id/block', ({ ctx, params }) => ok(blockContact(ctx, params.id, false)), {
      can: 'contacts:update',
      params: IdParam,
      response: { 200: Ok(BlockedContact) },
      detail: { operationId: 'unblockContact', summary: 'Unblock a contact' },
    })

/** Deleting a tag: it lies here because it is taken off contacts. */
export const tagDeletionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/tags', tags: ['Tags'] }).use(guard(http)).delete(
    '/:id',
    async ({ ctx, params }) => {
      await deleteTag(ctx, params.id)
      return ok({ message: 'The tag is gone, also from the contacts that carried it.' })
    },
    {
      can: 'tags:delete',
      params: IdParam,
      response: { 200: Ok(MessageAnswer) },
      detail: {
        operationId: 'deleteTag',
        summary: 'Delete a tag',
        description: 'Contacts lose it and stay. Its name is free again.',
      },
    },
  )

/** What a segment stands for: it lies here because it is a list of contacts. */
export const segmentContactRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/segments', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '/:id/contacts',
      async ({ ctx, params, query }) =>
        ok(await contactsOfSegment(ctx, params.id, listQuery(query))),
      {
        can: 'contacts:read',
        refuses: ['400 segment_too_expensive'],
        params: IdParam,
        query: ContactsQuery,
        response: { 200: Ok(LongPageOf(ContactView)) },
        detail: {
          operationId: 'listSegmentContacts',
          summary: 'Contacts of a segment',
          description:
            'Those the caller sees; searched, filtered and sorted as the list of contacts.',
        },
      },
    )
