import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { ApiKeyChanges, ApiKeyView, NewApiKey, NewApiKeyView } from './model'
import { getKey, listKeys } from './queries'
import { createKey, deleteKey, takeOverKey, updateKey } from './service'

const KeysQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(
    t.String({ maxLength: 255, description: 'Part of the name, or the beginning of the key.' }),
  ),
  is_active: t.Optional(t.Boolean()),
})

export const apiKeyRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/api-keys', tags: ['API keys'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, is_active } }) =>
        ok(listKeys(ctx, { page, limit, search, isActive: is_active })),
      {
        can: 'api_keys:read',
        query: KeysQuery,
        response: { 200: Ok(PageOf(ApiKeyView)) },
        detail: {
          operationId: 'listApiKeys',
          summary: 'List API keys',
          description: 'Lists API keys, newest first. The keys themselves are never returned.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createKey(ctx, body))), {
      can: 'api_keys:create',
      refuses: ['403 escalation'],
      body: NewApiKey,
      response: { 201: Ok(NewApiKeyView) },
      detail: {
        operationId: 'createApiKey',
        summary: 'Create an API key',
        description:
          "The caller becomes the owner. A key is limited to the owner's current permissions and " +
          'stops working when the owner leaves. The key is returned only once. With ' +
          '`contacts:read` but without `contacts:read_all`, the key sees only contacts assigned ' +
          'to its owner directly or through a conversation, and with `contacts:read_unassigned` ' +
          'those that nobody has; all other contacts, conversations and messages return 404, and ' +
          '`warnings` says so.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getKey(ctx, params.id)), {
      can: 'api_keys:read',
      params: IdParam,
      response: { 200: Ok(ApiKeyView) },
      detail: {
        operationId: 'getApiKey',
        summary: 'Get an API key',
        description: 'Never the key itself: it is shown only when it is created.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateKey(ctx, params.id, body)), {
      can: 'api_keys:update',
      unlessChanged: getKey,
      refuses: ['403 escalation'],
      params: IdParam,
      body: ApiKeyChanges,
      response: { 200: Ok(ApiKeyView) },
      detail: {
        operationId: 'updateApiKey',
        summary: 'Update an API key',
        description: 'Takes effect with the next request.',
      },
    })
    .post('/:id/take-over', ({ ctx, params }) => ok(takeOverKey(ctx, params.id)), {
      can: 'api_keys:update',
      refuses: ['403 escalation'],
      params: IdParam,
      response: { 200: Ok(ApiKeyView) },
      detail: {
        operationId: 'takeOverApiKey',
        summary: 'Take over an API key',
        description:
          'Makes the caller the owner of a key whose owner has left. The key works again ' +
          'immediately.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteKey(ctx, params.id)
        return ok({ message: 'The API key is revoked.' })
      },
      {
        can: 'api_keys:delete',
        refuses: ['403 escalation'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteApiKey',
          summary: 'Revoke an API key',
          description: 'Requests with it are refused from now on.',
        },
      },
    )
