import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { RateLimitedError } from '../../../lib/errors'
import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { executeCustomAction } from './execute'
import {
  ActionResult,
  ActionTarget,
  ActionTest,
  ActionTestResult,
  CustomActionChanges,
  CustomActionView,
  NewCustomAction,
} from './model'
import { redeemRedirect, REDIRECT_PATH } from './redirects'
import { testCustomAction } from './try'
import {
  createCustomAction,
  deleteCustomAction,
  getCustomAction,
  listCustomActions,
  updateCustomAction,
} from './service'

const ActionsQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 100, description: 'Part of the name.' })),
  active_only: t.Optional(t.BooleanString({ description: 'Defaults to `false`.' })),
})

/** A page of custom actions. */
export const ActionPage = Type.Composite([
  PageOf(CustomActionView),
  Type.Object({
    custom_actions: Type.Array(CustomActionView, { description: 'Same as `items`.' }),
  }),
])

/** Counts a run of a custom action for its user. Throws RateLimitedError over 10 a minute. */
function countRun({ limiters }: Http, userId: string | null): void {
  const allowance = limiters.customActions.hit(userId ?? '')
  if (allowance && !allowance.isAllowed)
    throw new RateLimitedError(
      'A user can run 10 custom actions per minute.',
      allowance.retryAfterS,
    )
}

/** Routes to manage and run custom actions. */
export const customActionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/custom-actions', tags: ['Custom actions'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, active_only } }) =>
        ok(listCustomActions(ctx, { page, limit, search, activeOnly: active_only })),
      {
        can: 'custom_actions:read',
        query: ActionsQuery,
        response: { 200: Ok(ActionPage) },
        detail: {
          operationId: 'listCustomActions',
          summary: 'List custom actions',
          description: 'Lists custom actions by `display_order`, then by name.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createCustomAction(ctx, body))), {
      can: 'custom_actions:create',
      refuses: ['400 unsupported_action_type', '400 url_refused', '409 limit_reached'],
      body: NewCustomAction,
      response: { 201: Ok(CustomActionView) },
      detail: {
        operationId: 'createCustomAction',
        summary: 'Create a custom action',
        description:
          'A `webhook` sends a request when somebody runs it on a contact; a `url` opens an ' +
          'address. An organization can have up to 200 custom actions.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getCustomAction(ctx, params.id)), {
      can: 'custom_actions:read',
      params: IdParam,
      response: { 200: Ok(CustomActionView) },
      detail: {
        operationId: 'getCustomAction',
        summary: 'Get a custom action',
        description: 'Values of headers are never shown.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateCustomAction(ctx, params.id, body)), {
      unlessChanged: getCustomAction,
      can: 'custom_actions:update',
      refuses: ['400 unsupported_action_type', '400 url_refused'],
      params: IdParam,
      body: CustomActionChanges,
      response: { 200: Ok(CustomActionView) },
      detail: {
        operationId: 'updateCustomAction',
        summary: 'Update a custom action',
        description:
          'Only the fields you send change. `config` is replaced as a whole, except for headers ' +
          'that are omitted or sent as `***`.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteCustomAction(ctx, params.id)
        return ok({ message: 'The custom action is deleted.' })
      },
      {
        can: 'custom_actions:delete',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteCustomAction',
          summary: 'Delete a custom action',
          description: 'It disappears from the conversations of all members.',
        },
      },
    )
    .post(
      '/:id/execute',
      async ({ ctx, params, body }) =>
        ok(
          await executeCustomAction(ctx, { id: params.id, contactId: body.contact_id }, () =>
            countRun(http, ctx.actor.userId),
          ),
        ),
      {
        can: 'custom_actions:read',
        refuses: ['400 action_inactive'],
        params: IdParam,
        body: ActionTarget,
        response: { 200: Ok(ActionResult) },
        detail: {
          operationId: 'executeCustomAction',
          summary: 'Run a custom action on a contact',
          description:
            'A `webhook` waits up to 10 seconds for its response; a failed call is 200 with ' +
            '`success: false`. A `url` returns `redirect_url`. Phone numbers are masked as for the ' +
            'caller. A user can run 10 actions per minute.',
        },
      },
    )
    .post(
      '/:id/test',
      async ({ ctx, params, body }) =>
        ok(
          await testCustomAction(ctx, { ...body, id: params.id }, () =>
            countRun(http, ctx.actor.userId),
          ),
        ),
      {
        can: 'custom_actions:update',
        refuses: ['400 unsupported_action_type', '400 url_refused'],
        params: IdParam,
        body: ActionTest,
        response: { 200: Ok(ActionTestResult) },
        detail: {
          operationId: 'testCustomAction',
          summary: 'Test a custom action',
          description:
            'Sends the request of a `webhook` with the values of a contact, and returns the request ' +
            'and the response. `action_type` and `config` are tried as `PUT` would take them, ' +
            'without saving them. Works for inactive actions, too. A `url` is only filled in. ' +
            'Waits up to 10 seconds; counts towards the 10 actions that a user can run per minute.',
        },
      },
    )

/** Route that opens the address of a custom action. */
export const customActionRedirectRoutes = (http: Http) =>
  new Elysia({ prefix: REDIRECT_PATH, tags: ['Custom actions'] }).use(guard(http)).get(
    '/:token',
    ({ deps, params }) =>
      new Response(null, {
        status: 302,
        headers: {
          location: redeemRedirect(deps, params.token),
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        },
      }),
    {
      anyone: 'authenticates with a token that works once, within 60 seconds',
      refuses: ['404 not_found'],
      params: t.Object({ token: t.String({ minLength: 1, maxLength: 100 }) }),
      response: { 302: Type.Null({ description: 'The address is in `Location`.' }) },
      detail: {
        operationId: 'openCustomAction',
        summary: 'Open the address of a custom action',
        description: 'Redirects once, within 60 seconds after the action was run.',
      },
    },
  )
