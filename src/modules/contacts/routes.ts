import { Elysia, t } from 'elysia'

import { normalizeId } from '../../lib/ids'
import { oneOf } from '../../lib/fields'
import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../http/pagination'
import { blockContact } from './block'
import { createContact } from './create'
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
import { setTags, updateContact } from './update'

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
  account_id: t.Optional(
    t.String({ format: 'uuid', description: 'Account last used with this contact.' }),
  ),
  assigned_to: t.Optional(
    t.String({
      pattern: '^(me|none|[0-9a-fA-F-]{36})$',
      description: 'User ID, `me`, or `none` for unassigned.',
    }),
  ),
  tags: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 4096,
      description: 'Comma-separated tag IDs or names.',
    }),
  ),
  tags_mode: t.Optional(
    oneOf(['any', 'all'], {
      description: '`any` (default) or `all` of the tags.',
    }),
  ),
  consent: t.Optional(oneOf(['unknown', 'opted_in', 'opted_out'])),
  blocked: t.Optional(t.Boolean()),
  has_phone: t.Optional(t.Boolean()),
  segment_id: t.Optional(t.String({ format: 'uuid', description: 'ID of a segment.' })),
  created_from: t.Optional(
    t.String({ format: 'date-time', description: 'Created at or after this time.' }),
  ),
  created_to: t.Optional(
    t.String({ format: 'date-time', description: 'Created before this time.' }),
  ),
  sort: t.Optional(
    oneOf(['last_message_at', 'created_at', 'name'], {
      description: 'Sort field. Defaults to `last_message_at`.',
    }),
  ),
  order: t.Optional(
    oneOf(['asc', 'desc'], {
      description: 'Sort order. Defaults to `desc`, or `asc` when sorting by name.',
    }),
  ),
})

/** Converts the query parameters of a contact list. */
const listQuery = (query: typeof ContactsQuery.static): ContactQuery => {
  const { page = 1, limit = 20, cursor, search, sort = 'last_message_at' } = query
  const tagNames = query.tags?.split(',').filter((tag) => tag.trim() !== '')
  return {
    ...{ page, limit, cursor, search, sort },
    order: query.order ?? (sort === 'name' ? ('asc' as const) : ('desc' as const)),
    accountId: query.account_id,
    assignedTo: query.assigned_to === undefined ? undefined : normalizeId(query.assigned_to),
    tags: tagNames,
    tagsMode: query.tags_mode,
    consent: query.consent,
    isBlocked: query.blocked,
    hasPhone: query.has_phone,
    segmentId: query.segment_id,
    createdFromMs: query.created_from === undefined ? undefined : Date.parse(query.created_from),
    createdBeforeMs: query.created_to === undefined ? undefined : Date.parse(query.created_to),
  }
}

/** Routes for contacts. */
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
          'Lists contacts, most recent message first. Without `contacts:read_all`, only contacts ' +
          'assigned to the caller directly or through a conversation. `total` is `null` when a ' +
          'search matches many contacts; use `next_cursor` for the next page.',
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
          'Creates a contact by `phone_number` or `user_id`. Creating a deleted contact restores ' +
          'it with its history. If the caller cannot see all contacts, the new contact is ' +
          'assigned to them. Fails with 409 `contact_exists`; `details` holds the ID if the ' +
          'caller can see that contact.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getContact(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(ContactDetails) },
      detail: { operationId: 'getContact', summary: 'Get a contact' },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateContact(ctx, params.id, body)), {
      can: 'contacts:update',
      refuses: ['400 not_a_member', '400 unknown_tag', '409 contact_exists'],
      params: IdParam,
      body: ContactChanges,
      response: { 200: Ok(ContactView) },
      detail: {
        operationId: 'updateContact',
        summary: 'Update a contact',
        description:
          'Only the fields you send change. Fails with 409 `contact_exists` if the phone number ' +
          'belongs to another contact.',
      },
    })

/** Routes for the tags, block and session data of a contact. */
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
        summary: 'Set the tags of a contact',
        description: 'Replaces all tags of the contact. Fails with 400 `unknown_tag`.',
      },
    })
    .get('/:id/session-data', ({ ctx, params }) => ok(getSessionData(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(SessionData) },
      detail: {
        operationId: 'getContactSessionData',
        summary: 'Get the chatbot session data',
        description: 'All values are `null` if no session is running.',
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
          'Incoming messages are stored without notifications, and nothing can be sent to the ' +
          'contact. The platform is asked to block the contact too.',
      },
    })
    .delete('/:id/block', ({ ctx, params }) => ok(blockContact(ctx, params.id, false)), {
      can: 'contacts:update',
      params: IdParam,
      response: { 200: Ok(BlockedContact) },
      detail: { operationId: 'unblockContact', summary: 'Unblock a contact' },
    })

/** Route that deletes a tag. It is part of this module because it removes the tag from contacts. */
export const tagDeletionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/tags', tags: ['Tags'] }).use(guard(http)).delete(
    '/:id',
    async ({ ctx, params }) => {
      await deleteTag(ctx, params.id)
      return ok({ message: 'The tag is deleted and removed from all contacts.' })
    },
    {
      can: 'tags:delete',
      params: IdParam,
      response: { 200: Ok(MessageAnswer) },
      detail: {
        operationId: 'deleteTag',
        summary: 'Delete a tag',
        description: 'Removes the tag from its contacts. Its name can be used again.',
      },
    },
  )

/**
 * Route that lists the contacts of a segment. It is part of this module because it answers
 * contacts.
 */
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
          summary: 'List the contacts of a segment',
          description:
            'Lists the matching contacts that the caller can see. Search, filters and sort order ' +
            'work as in the list of contacts.',
        },
      },
    )
