import { Elysia, t } from 'elysia'

import { MessageAnswer, Ok, ok } from '../../../../http/envelope'
import { okText } from '../../../../http/read-answer'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import type { Ctx } from '../../../../infra/ctx'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { createBotFlow } from './create'
import { deleteBotFlow } from './delete'
import { BotFlowSteps } from './figures'
import { CountFlowSteps } from './readers'
import { duplicateBotFlow } from './duplicate'
import { getBotFlow, listBotFlows, requireBotFlow, viewOf } from './find'
import {
  BotFlowChanges,
  BotFlowCopy,
  BotFlowSummary,
  BotFlowVersionSummary,
  BotFlowVersionView,
  BotFlowView,
  GraphCheck,
  GraphToValidate,
  NewBotFlow,
} from './model'
import { publishBotFlow } from './publish'
import { updateBotFlow } from './update'
import { validateGraph } from './validate-graph'
import { getVersion, listVersions, restoreVersion } from './versions'

const BotFlowQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 255,
      description: 'Part of the name, the description or a trigger word.',
    }),
  ),
  enabled: t.Optional(t.BooleanString()),
  account_id: t.Optional(t.String({ format: 'uuid' })),
})
const VersionParams = t.Object({
  id: t.String({ format: 'uuid' }),
  version: t.Numeric({ minimum: 1, maximum: 1_000_000_000 }),
})

/** Returns a flow as two people who change it compare it. */
const presentFlow = (ctx: Ctx, id: string): BotFlowView => viewOf(ctx, requireBotFlow(ctx, id))

/** Routes to list, create, change and delete bot flows. */
export const botFlowRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/flows', tags: ['Chatbot'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search, enabled, account_id } }) =>
        ok(listBotFlows(ctx, { page, limit, search, enabled, accountId: account_id })),
      {
        can: 'flows:read',
        query: BotFlowQuery,
        response: { 200: Ok(PageOf(BotFlowSummary)) },
        detail: {
          operationId: 'listBotFlows',
          summary: 'List bot flows',
          description: 'Lists the conversation flows of the bot, last changed first.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await createBotFlow(ctx, body))), {
      can: 'flows:create',
      refuses: ['400 graph_invalid', '400 url_refused', '409 name_taken', '409 limit_reached'],
      body: NewBotFlow,
      response: { 201: Ok(BotFlowView) },
      detail: {
        operationId: 'createBotFlow',
        summary: 'Create a bot flow',
        description:
          'With `enabled: true` the graph is published as version 1 and must be valid: 400 ' +
          '`graph_invalid` lists every problem with its path. Otherwise it is kept as a draft, and ' +
          '`warnings` lists the problems. An organization has at most 500 flows.',
      },
    })
    .post('/validate', async ({ ctx, body }) => ok(await validateGraph(ctx, body.graph)), {
      can: 'flows:read',
      body: GraphToValidate,
      response: { 200: Ok(GraphCheck) },
      detail: {
        operationId: 'validateBotFlowGraph',
        summary: 'Validate a graph',
        description: 'Checks a graph as publishing does and stores nothing.',
      },
    })
    .get('/:id', async ({ ctx, params }) => ok(await getBotFlow(ctx, params.id)), {
      can: 'flows:read',
      params: IdParam,
      response: { 200: Ok(BotFlowView) },
      detail: {
        operationId: 'getBotFlow',
        summary: 'Get a bot flow',
        description:
          'With the graph of its draft, or of the newest published version if there is no draft.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateBotFlow(ctx, params.id, body)), {
      unlessChanged: presentFlow,
      can: 'flows:update',
      refuses: ['400 graph_invalid', '400 url_refused', '409 name_taken', '409 limit_reached'],
      params: IdParam,
      body: BotFlowChanges,
      response: { 200: Ok(BotFlowView) },
      detail: {
        operationId: 'updateBotFlow',
        summary: 'Update a bot flow',
        description:
          'Only the fields you send change. A `graph` is published at once if the flow is enabled, ' +
          'unless `publish` is `false`, and kept as a draft otherwise. Enabling a flow that was never ' +
          'published publishes its draft. All other fields take effect at once. Sessions under way ' +
          'finish on the version they began with.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteBotFlow(ctx, params.id)
        return ok({ message: 'The bot flow is deleted.' })
      },
      {
        can: 'flows:delete',
        refuses: ['409 in_use'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteBotFlow',
          summary: 'Delete a bot flow',
          description:
            'Sessions under way finish on their version. Fails with 409 `in_use` while another flow, ' +
            'a keyword rule or a button leads to it.',
        },
      },
    )

/** Routes for versions and copies of bot flows. */
export const botFlowVersionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/chatbot/flows', tags: ['Chatbot'] })
    .use(guard(http))
    .post('/:id/publish', async ({ ctx, params }) => ok(await publishBotFlow(ctx, params.id)), {
      unlessChanged: presentFlow,
      can: 'flows:update',
      refuses: ['400 graph_invalid', '400 url_refused', '409 no_draft'],
      params: IdParam,
      response: { 200: Ok(BotFlowView) },
      detail: {
        operationId: 'publishBotFlow',
        summary: 'Publish the draft of a bot flow',
        description: 'The draft becomes the next version.',
      },
    })
    .post(
      '/:id/duplicate',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await duplicateBotFlow(ctx, params.id, body.name))),
      {
        can: 'flows:create',
        refuses: ['409 name_taken', '409 limit_reached'],
        params: IdParam,
        body: BotFlowCopy,
        response: { 201: Ok(BotFlowView) },
        detail: {
          operationId: 'duplicateBotFlow',
          summary: 'Duplicate a bot flow',
          description: 'The copy is disabled. It has the header values of the original.',
        },
      },
    )
    .get(
      '/:id/figures',
      async ({ ctx, params }) =>
        okText(await ctx.reads.text(CountFlowSteps, ctx, { flowId: params.id })),
      {
        can: 'analytics:read',
        params: IdParam,
        response: { 200: Ok(BotFlowSteps) },
        detail: {
          operationId: 'getBotFlowFigures',
          summary: 'Get the figures of the steps of a bot flow',
          description:
            'Returns how many sessions of the last 30 days came to each step, went on, and left ' +
            'there. A session that came repeatedly counts once.',
        },
      },
    )
    .get(
      '/:id/versions',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(listVersions(ctx, params.id, { page, limit })),
      {
        can: 'flows:read',
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(BotFlowVersionSummary)) },
        detail: {
          operationId: 'listBotFlowVersions',
          summary: 'List the versions of a bot flow',
          description:
            'Lists the published versions, newest first. The newest 50 are kept, and older ones that ' +
            'sessions still follow.',
        },
      },
    )
    .get(
      '/:id/versions/:version',
      ({ ctx, params }) => ok(getVersion(ctx, params.id, params.version)),
      {
        can: 'flows:read',
        params: VersionParams,
        response: { 200: Ok(BotFlowVersionView) },
        detail: {
          operationId: 'getBotFlowVersion',
          summary: 'Get a version of a bot flow',
          description: 'With the graph as it was published.',
        },
      },
    )
    .post(
      '/:id/versions/:version/restore',
      async ({ ctx, params }) => ok(await restoreVersion(ctx, params.id, params.version)),
      {
        unlessChanged: presentFlow,
        can: 'flows:update',
        params: VersionParams,
        response: { 200: Ok(BotFlowView) },
        detail: {
          operationId: 'restoreBotFlowVersion',
          summary: 'Restore a version of a bot flow',
          description: 'The version becomes the draft. Publish the draft to use it.',
        },
      },
    )
