import { Elysia } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { FlowKeyView } from './model'
import { flowKeyOf, renewFlowKey } from './service'

/** The key pair of a number's Flow data endpoint. */
export const flowKeyRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get('/:id/flow-key', ({ ctx, params }) => ok(flowKeyOf(ctx, params.id)), {
      can: 'accounts:read',
      params: IdParam,
      response: { 200: Ok(FlowKeyView) },
      detail: { operationId: 'getFlowKey', summary: 'The public key for Flows of a phone number' },
    })
    .post('/:id/flow-key', async ({ ctx, params }) => ok(await renewFlowKey(ctx, params.id)), {
      can: 'accounts:update',
      refuses: PLATFORM_ERRORS,
      params: IdParam,
      response: { 200: Ok(FlowKeyView) },
      detail: {
        operationId: 'createFlowKey',
        summary: 'Make another key for Flows of a phone number',
        description:
          'An RSA key pair whose public half the platform gets; the private one never leaves the server.',
      },
    })
