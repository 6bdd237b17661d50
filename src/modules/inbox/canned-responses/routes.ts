import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import {
  CannedResponseChanges,
  CannedResponseView,
  NewCannedResponse,
  RenderedResponse,
  RenderFor,
} from './model'
import {
  createCannedResponse,
  deleteCannedResponse,
  getCannedResponse,
  listCannedResponses,
  renderCannedResponse,
  updateCannedResponse,
  useCannedResponse,
} from './service'

const CannedQuery = t.Object({
  ...pageQuery(),
  category: t.Optional(t.String({ minLength: 1, maxLength: 50 })),
  search: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 255,
      description: 'Part of the name, text or shortcut.',
    }),
  ),
  active_only: t.Optional(t.BooleanString({ description: 'Defaults to `false`.' })),
})
const CannedPage = Type.Composite([
  PageOf(CannedResponseView),
  Type.Object({
    canned_responses: Type.Array(CannedResponseView, { description: 'Same as `items`.' }),
  }),
])

/** Routes to list, create, change and delete canned responses. */
export const cannedResponseRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/canned-responses', tags: ['Canned responses'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, category, active_only } }) =>
        ok(listCannedResponses(ctx, { page, limit, search, category, activeOnly: active_only })),
      {
        can: 'canned_responses:read',
        query: CannedQuery,
        response: { 200: Ok(CannedPage) },
        detail: {
          operationId: 'listCannedResponses',
          summary: 'List canned responses',
          description: 'Lists canned responses, most used first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createCannedResponse(ctx, body))), {
      can: 'canned_responses:create',
      refuses: ['409 name_taken', '409 shortcut_taken'],
      body: NewCannedResponse,
      response: { 201: Ok(CannedResponseView) },
      detail: {
        operationId: 'createCannedResponse',
        summary: 'Create a canned response',
        description: 'Fails with 409 `name_taken` or `shortcut_taken`.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getCannedResponse(ctx, params.id)), {
      can: 'canned_responses:read',
      params: IdParam,
      response: { 200: Ok(CannedResponseView) },
      detail: {
        operationId: 'getCannedResponse',
        summary: 'Get a canned response',
        description: 'With its text, which may have placeholders.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateCannedResponse(ctx, params.id, body)), {
      unlessChanged: getCannedResponse,
      can: 'canned_responses:update',
      refuses: ['409 name_taken', '409 shortcut_taken'],
      params: IdParam,
      body: CannedResponseChanges,
      response: { 200: Ok(CannedResponseView) },
      detail: {
        operationId: 'updateCannedResponse',
        summary: 'Update a canned response',
        description:
          'Only the fields you send change. Fails with 409 `name_taken` or `shortcut_taken`.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteCannedResponse(ctx, params.id)
        return ok({ message: 'The canned response is deleted.' })
      },
      {
        can: 'canned_responses:delete',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteCannedResponse',
          summary: 'Delete a canned response',
          description: 'Messages that were written with it stay.',
        },
      },
    )

export const cannedResponseUseRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/canned-responses', tags: ['Canned responses'] })
    .use(guard(http))
    .post(
      '/:id/use',
      ({ ctx, params }) => {
        useCannedResponse(ctx, params.id)
        return ok({ message: 'Counted.' })
      },
      {
        can: 'canned_responses:read',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'recordCannedResponseUse',
          summary: 'Count a use of a canned response',
          description: 'Lists show the most used responses first.',
        },
      },
    )
    .post(
      '/:id/render',
      ({ ctx, params, body }) => ok(renderCannedResponse(ctx, params.id, body.contact_id)),
      {
        can: 'canned_responses:read',
        params: IdParam,
        body: RenderFor,
        response: { 200: Ok(RenderedResponse) },
        detail: {
          operationId: 'renderCannedResponse',
          summary: 'Render a canned response',
          description:
            'Replaces the placeholders with values of the contact. Nothing else is evaluated.',
        },
      },
    )
