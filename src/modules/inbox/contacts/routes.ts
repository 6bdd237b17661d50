import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { blockContact } from './block'
import { createContact } from './write/create'
import {
  BlockedContact,
  ContactChanges,
  ContactDetails,
  ContactView,
  NewContact,
  NewTags,
  TagsOfContact,
} from './model'
import { getContact } from './queries'
import { ListContacts, ListSegmentContacts, SearchContacts } from './readers'
import { contactFilters, contactQueryOf, contactSelection } from './list/list-query'
import { EXAMPLE_FILTER } from './segment-filter/schema'
import { deleteTag } from './tags'
import { setTags, updateContact } from './write/update'

const ContactsQuery = t.Object({ ...longQuery(), ...contactFilters })

const ContactSearchInput = Type.Object(
  {
    ...contactSelection,
    page: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000_000, description: 'Page number, starting at 1.' }),
    ),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Defaults to 20.' }),
    ),
    cursor: Type.Optional(
      Type.String({ maxLength: 200, description: '`next_cursor` from the previous page.' }),
    ),
    exact_total: Type.Optional(
      Type.Boolean({ description: 'Whether more than 10,000 matches are counted, too.' }),
    ),
  },
  { title: 'ContactSearch', examples: [{ filter: EXAMPLE_FILTER, limit: 50 }] },
)

export const contactRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contacts', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query }) =>
        okText(await ctx.reads.text(ListContacts, ctx, contactQueryOf(query))),
      {
        can: 'contacts:read',
        refuses: ['400 segment_too_expensive'],
        query: ContactsQuery,
        response: { 200: Ok(LongPageOf(ContactView)) },
        detail: {
          operationId: 'listContacts',
          summary: 'List contacts',
          description:
            'Lists contacts, most recent message first. Without `contacts:read_all`, only contacts ' +
            'that the caller, a team or a queue of theirs has, directly or through a conversation, ' +
            'and with `contacts:read_unassigned` those that nobody has. With a filter or a search, ' +
            '`total` is `null` beyond 10,000; use `next_cursor` for the next page.',
        },
      },
    )
    .post(
      '/search',
      async ({ ctx, body: { exact_total: isExact = false, ...query } }) =>
        okText(await ctx.reads.text(SearchContacts, ctx, { ...contactQueryOf(query), isExact })),
      {
        can: 'contacts:read',
        refuses: ['400 segment_too_expensive'],
        body: ContactSearchInput,
        response: { 200: Ok(LongPageOf(ContactView)) },
        detail: {
          operationId: 'searchContacts',
          summary: 'Search contacts',
          description: 'As the list of contacts, and with a filter as segments have it.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createContact(ctx, body))), {
      can: { permission: 'contacts:create', body: 'small' },
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
      detail: {
        operationId: 'getContact',
        summary: 'Get a contact',
        description:
          'With tags, custom fields, consent, and whether the customer can be written to without a template.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateContact(ctx, params.id, body)), {
      can: { permission: 'contacts:update', body: 'small' },
      unlessChanged: getContact,
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
      can: { permission: 'contacts:update', body: 'small' },
      refuses: ['400 unknown_tag'],
      params: IdParam,
      body: NewTags,
      response: { 200: Ok(TagsOfContact) },
      detail: {
        operationId: 'setContactTags',
        summary: 'Set the tags of a contact',
        description:
          'Replaces all tags of the contact; or with `add_tag_ids` and `remove_tag_ids`, changes ' +
          'only those, whatever somebody else changes at the same time.',
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
      detail: {
        operationId: 'unblockContact',
        summary: 'Unblock a contact',
        description: 'The customer can write again, here and at WhatsApp.',
      },
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
  new Elysia({ prefix: '/api/segments', tags: ['Contacts'] }).use(guard(http)).get(
    '/:id/contacts',
    async ({ ctx, params, query }) =>
      okText(
        await ctx.reads.text(ListSegmentContacts, ctx, {
          ...contactQueryOf(query),
          ofSegmentId: params.id,
        }),
      ),
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
