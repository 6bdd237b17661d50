import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import {
  createAttribute,
  deleteAttribute,
  getAttribute,
  listAttributes,
  updateAttribute,
} from './service'
import { AttributeChanges, AttributeView, NewAttribute } from './model'

/** Routes for the custom fields of contacts. */
export const attributeRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/contact-attributes', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50 } }) => ok(listAttributes(ctx, { page, limit })),
      {
        can: 'contacts:read',
        query: t.Object(pageQuery(50)),
        response: { 200: Ok(PageOf(AttributeView)) },
        detail: {
          operationId: 'listContactAttributes',
          summary: 'List custom fields',
          description: 'The fields that the organization added to its contacts, by key.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createAttribute(ctx, body))), {
      can: 'settings:update',
      refuses: ['409 limit_reached', '409 key_taken'],
      body: NewAttribute,
      response: { 201: Ok(AttributeView) },
      detail: {
        operationId: 'createContactAttribute',
        summary: 'Create a custom field',
        description: 'Up to 100 per organization.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getAttribute(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(AttributeView) },
      detail: {
        operationId: 'getContactAttribute',
        summary: 'Get a custom field',
        description: 'With its options, if it has a list of them.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateAttribute(ctx, params.id, body)), {
      unlessChanged: getAttribute,
      can: 'settings:update',
      refuses: ['400 has_values'],
      params: IdParam,
      body: AttributeChanges,
      response: { 200: Ok(AttributeView) },
      detail: {
        operationId: 'updateContactAttribute',
        summary: 'Update a custom field',
        description:
          '`type` can only be changed while no contact has a value for the field. Otherwise ' +
          'fails with 400 `has_values`.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteAttribute(ctx, params.id)
        return ok({ message: 'The custom field and its values are deleted.' })
      },
      {
        can: 'settings:update',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteContactAttribute',
          summary: 'Delete a custom field',
          description: 'Also deletes the values of this field from all contacts.',
        },
      },
    )
