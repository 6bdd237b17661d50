import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { PLATFORM_ERRORS } from '../platform-errors'
import { FlowKeyView } from './model'
import { flowKeyOf, renewFlowKey } from './service'

/** Routes for the key pair of a number's Flow data endpoint. */
export const flowKeyRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get('/:id/flow-key', ({ ctx, params }) => ok(flowKeyOf(ctx, params.id)), {
      can: 'accounts:read',
      params: IdParam,
      response: { 200: Ok(FlowKeyView) },
      detail: {
        operationId: 'getFlowKey',
        summary: 'Get the Flow key',
        description:
          'The public key that WhatsApp encrypts the answers of Flows with, and whether WhatsApp has the same.',
      },
    })
    .post('/:id/flow-key', async ({ ctx, params }) => ok(await renewFlowKey(ctx, params.id)), {
      can: 'accounts:update',
      refuses: PLATFORM_ERRORS,
      params: IdParam,
      response: { 200: Ok(FlowKeyView) },
      detail: {
        operationId: 'createFlowKey',
        summary: 'Create a new Flow key',
        description:
          'Creates an RSA key pair for Flows of this phone number. The public key is sent to the ' +
          'platform; the private key never leaves the server.',
      },
    })
