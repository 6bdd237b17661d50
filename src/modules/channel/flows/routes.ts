import { Elysia, t } from 'elysia'

import { csvResponse } from '../../../http/csv-response'
import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import { okText } from '../../../http/read-answer'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery, PageOf, pageQuery } from '../../../http/pagination'
import { partsOf } from '../../../infra/read/parts'
import { oneOf } from '../../../lib/fields'
import { PLATFORM_ERRORS } from '../accounts/platform-errors'
import {
  FlowChanges,
  FlowCopy,
  FlowExchangeView,
  FlowPreview,
  FlowResponseView,
  FlowSummary,
  FlowSync,
  FlowSyncResult,
  FlowToValidate,
  FlowVerdict,
  ChangedFlowView,
  FlowView,
  NewFlow,
  SavedFlow,
  STATUSES,
} from './model'
import { deleteFlow } from './delete'
import { deprecateFlow } from './deprecate'
import { previewFlow } from './preview'
import { publishFlow } from './publish'
import { listExchanges, listFlows } from './queries'
import { ListFlowResponses, ReadNextResponseLines } from './readers'
import type { ResponsePart } from './export-responses'
import { saveFlow } from './save-to-platform'
import { createFlow } from './create'
import { duplicateFlow } from './duplicate'
import { getFlow } from './queries'
import { updateFlow } from './update'
import { validateFlow } from './definition'
import { syncFlows } from './sync'

const FlowsQuery = t.Object({
  ...pageQuery(),
  status: t.Optional(oneOf(STATUSES)),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of the name.' })),
})

const ResponsesQuery = t.Object({
  ...longQuery(),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  from: t.Optional(
    t.String({
      maxLength: 40,
      description:
        "Completed on or after this date in the organization's time zone, or at or after this " +
        'ISO 8601 time.',
    }),
  ),
  to: t.Optional(
    t.String({
      maxLength: 40,
      description: 'Completed on or before this date, or at or before this time.',
    }),
  ),
  search: t.Optional(
    t.String({ minLength: 1, maxLength: 255, description: 'Part of the submitted data.' }),
  ),
  format: t.Optional(oneOf(['json', 'csv'], { description: '`csv` downloads all responses.' })),
})

/** Errors of platform calls about a Flow. */
const AT_PLATFORM = [...PLATFORM_ERRORS, '400 account_inactive'] as const

const FIXED = 'A published flow cannot be changed (409 `published`); duplicate it instead.'

/** Routes to manage Flow drafts. */
export const flowRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/flows', tags: ['Flows'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, account_id, ...query } }) =>
        ok(listFlows(ctx, { ...query, page, limit, accountId: account_id })),
      {
        can: 'flows:read',
        query: FlowsQuery,
        response: { 200: Ok(PageOf(FlowSummary)) },
        detail: {
          operationId: 'listFlows',
          summary: 'List flows',
          description: 'Lists flows without their Flow JSON, newest first.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createFlow(ctx, body))), {
      can: { permission: 'flows:create', body: 'large' },
      refuses: ['400 url_refused', '409 name_taken'],
      body: NewFlow,
      response: { 201: Ok(ChangedFlowView) },
      detail: {
        operationId: 'createFlow',
        summary: 'Create a flow',
        description:
          'Stores a draft locally. Validates screens, components, routing, references, and that ' +
          '`data_api_version` is present exactly if the flow has an endpoint. Reports every ' +
          'problem with path and line.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getFlow(ctx, params.id)), {
      can: 'flows:read',
      params: IdParam,
      response: { 200: Ok(FlowView) },
      detail: {
        operationId: 'getFlow',
        summary: 'Get a flow',
        description: 'With its Flow JSON, and what WhatsApp says about it.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateFlow(ctx, params.id, body)), {
      unlessChanged: getFlow,
      can: { permission: 'flows:update', body: 'large' },
      refuses: ['400 url_refused', '409 published', '409 name_taken'],
      params: IdParam,
      body: FlowChanges,
      response: { 200: Ok(ChangedFlowView) },
      detail: {
        operationId: 'updateFlow',
        summary: 'Update a flow',
        description: `Only the fields you send change. ${FIXED} Its endpoint can be changed at any time.`,
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params }) => {
        await deleteFlow(ctx, params.id)
        return ok({ message: 'The flow is deleted.' })
      },
      {
        can: 'flows:delete',
        refuses: [...AT_PLATFORM, '409 published', '409 in_use', '409 flow_busy'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteFlow',
          summary: 'Delete a flow',
          description:
            'A draft on the platform is deleted there first. Fails with 409 `published`: deprecate ' +
            'a published flow first.',
        },
      },
    )

/** Routes for responses and other Flow data. */
export const flowWorkRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/flows', tags: ['Flows'] })
    .use(guard(http))
    .post(
      '/:id/duplicate',
      ({ ctx, params, body, status }) => status(201, ok(duplicateFlow(ctx, params.id, body))),
      {
        can: 'flows:create',
        refuses: ['400 url_refused', '400 account_inactive', '409 name_taken'],
        params: IdParam,
        body: FlowCopy,
        response: { 201: Ok(ChangedFlowView) },
        detail: {
          operationId: 'duplicateFlow',
          summary: 'Copy a flow',
          description: 'Creates a new local draft. Its name defaults to "… (copy)".',
        },
      },
    )
    .post(
      '/:id/validate',
      ({ ctx, params, body }) => ok(validateFlow(ctx, params.id, body.json_definition)),
      {
        can: { permission: 'flows:read', body: 'large' },
        params: IdParam,
        body: FlowToValidate,
        response: { 200: Ok(FlowVerdict) },
        detail: {
          operationId: 'validateFlow',
          summary: 'Validate a Flow JSON',
          description: 'Returns the problems found by this server. Nothing is stored.',
        },
      },
    )
    .get(
      '/:id/responses',
      async ({
        ctx,
        params,
        request,
        query: { page = 1, limit = 20, cursor, contact_id, from, to, search, format },
      }) => {
        const cut = { flowId: params.id, contactId: contact_id, from, to, search }
        if (format === 'csv') {
          const lines = await partsOf(
            (last: ResponsePart | null) =>
              ctx.reads.value(ReadNextResponseLines, ctx, {
                ...cut,
                last: last && { ...last, text: '' },
              }),
            ({ text }) => text,
          )
          return csvResponse(request, `flow-${params.id}-responses.csv`, lines) as never // a file instead of the envelope
        }
        const query = { page, limit, cursor, ...cut }
        return okText(await ctx.reads.text(ListFlowResponses, ctx, query))
      },
      {
        can: 'flows:read',
        params: IdParam,
        query: ResponsesQuery,
        response: { 200: Ok(LongPageOf(FlowResponseView)) },
        detail: {
          operationId: 'listFlowResponses',
          summary: 'List Flow responses',
          description: 'Lists responses of contacts the caller can see, newest first.',
        },
      },
    )
    .get(
      '/:id/exchanges',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(listExchanges(ctx, params.id, { page, limit })),
      {
        can: 'flows:read',
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(FlowExchangeView)) },
        detail: {
          operationId: 'listFlowExchanges',
          summary: 'List data exchanges',
          description:
            "Lists the last 500 requests to the flow's endpoint, newest first, without form data.",
        },
      },
    )

/** Routes that call the platform. */
export const platformFlowRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/flows', tags: ['Flows'] })
    .use(guard(http))
    .post('/sync', async ({ ctx, body }) => ok(await syncFlows(ctx, body.account_id)), {
      can: { permission: 'flows:update', bulk: true },
      refuses: PLATFORM_ERRORS,
      body: FlowSync,
      response: { 200: Ok(FlowSyncResult) },
      detail: {
        operationId: 'syncFlows',
        summary: 'Sync flows',
        description:
          'Fetches all flows of all business accounts from the platform, with the Flow JSON of ' +
          'new ones. Unsaved local changes are kept. Fails with 404 if `account_id` is unknown.',
      },
    })
    .post('/:id/save-to-meta', async ({ ctx, params }) => ok(await saveFlow(ctx, params.id)), {
      can: 'flows:update',
      refuses: [...AT_PLATFORM, '409 published', '409 flow_busy'],
      params: IdParam,
      response: { 200: Ok(SavedFlow) },
      detail: {
        operationId: 'saveFlowToPlatform',
        summary: 'Save a flow to the platform',
        description:
          'The platform also accepts invalid Flow JSON; its errors are stored in ' +
          '`validation_errors` and block publishing.',
      },
    })
    .post('/:id/publish', async ({ ctx, params }) => ok(await publishFlow(ctx, params.id)), {
      can: 'flows:update',
      refuses: [
        ...AT_PLATFORM,
        '400 not_saved',
        '400 local_changes',
        '400 validation_errors',
        '400 flow_key_missing',
        '409 wrong_state',
        '409 flow_busy',
      ],
      params: IdParam,
      response: { 200: Ok(FlowView) },
      detail: {
        operationId: 'publishFlow',
        summary: 'Publish a flow',
        description:
          'Permanent: a published flow cannot be changed. Publishes the version that was saved ' +
          'to the platform.',
      },
    })
    .post('/:id/deprecate', async ({ ctx, params }) => ok(await deprecateFlow(ctx, params.id)), {
      can: 'flows:update',
      refuses: [...AT_PLATFORM, '409 wrong_state', '409 flow_busy'],
      params: IdParam,
      response: { 200: Ok(FlowView) },
      detail: {
        operationId: 'deprecateFlow',
        summary: 'Deprecate a published flow',
        description: 'The flow can no longer be sent. Flows already sent keep working.',
      },
    })
    .get(
      '/:id/preview',
      async ({ ctx, params, query }) =>
        ok(await previewFlow(ctx, params.id, { refresh: query.refresh ?? false })),
      {
        can: 'flows:read',
        refuses: [...AT_PLATFORM, '400 not_saved'],
        params: IdParam,
        query: t.Object({
          refresh: t.Optional(
            t.BooleanString({ description: 'Whether to create a new URL. Defaults to `false`.' }),
          ),
        }),
        response: { 200: Ok(FlowPreview) },
        detail: {
          operationId: 'getFlowPreview',
          summary: 'Get a Flow preview link',
          description: 'A page of WhatsApp that shows the Flow as customers see it.',
        },
      },
    )
