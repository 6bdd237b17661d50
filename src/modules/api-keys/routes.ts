import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../http/pagination'
import { ApiKeyChanges, ApiKeyView, NewApiKey, NewApiKeyView } from './model'
import { getKey, listKeys } from './queries'
import { createKey, deleteKey, takeKeyOver, updateKey } from './service'

const KeysQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(
    t.String({ maxLength: 255, description: 'Part of the name, or the beginning of the key.' }),
  ),
  is_active: t.Optional(t.Boolean()),
})

/** Keys for programs. */
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
          description: 'Newest first, never the keys themselves.',
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
          'The caller owns the key. The key can never do more than its owner and stops with the owner’s membership. The answer is the only one that contains the key itself. A key with `contacts:read` but without `contacts:read_all` sees only contacts that are assigned to its owner, or with a conversation assigned to its owner; every other contact, conversation and message answers 404. `warnings` in the answer says so.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getKey(ctx, params.id)), {
      can: 'api_keys:read',
      params: IdParam,
      response: { 200: Ok(ApiKeyView) },
      detail: { operationId: 'getApiKey', summary: 'One API key' },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateKey(ctx, params.id, body)), {
      can: 'api_keys:update',
      refuses: ['403 escalation'],
      params: IdParam,
      body: ApiKeyChanges,
      response: { 200: Ok(ApiKeyView) },
      detail: {
        operationId: 'updateApiKey',
        summary: 'Change an API key',
        description: 'Works from the next request on.',
      },
    })
    .post('/:id/take-over', ({ ctx, params }) => ok(takeKeyOver(ctx, params.id)), {
      can: 'api_keys:update',
      refuses: ['403 escalation'],
      params: IdParam,
      response: { 200: Ok(ApiKeyView) },
      detail: {
        operationId: 'takeOverApiKey',
        summary: 'Become the owner of an API key',
        description: 'For keys whose owner has left; they work again at once.',
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
        detail: { operationId: 'deleteApiKey', summary: 'Revoke an API key' },
      },
    )
