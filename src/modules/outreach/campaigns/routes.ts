import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { fileResponse, fileResponses, MESSAGE_FILE_TYPES } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { FilePart } from '../../../http/multipart'
import { copyCampaign } from './draft/copy'
import { dryRun } from './draft/dry-run'
import { headerContent, setHeaderFile } from './draft/header-file'
import { CampaignView } from './model'
import { CampaignChanges, CopyInput, DryRun, NewCampaign } from './draft/model'
import { campaignFilterOf, campaignFilters } from './list-query'
import { getCampaign, listCampaigns } from './queries'
import { createCampaign } from './draft/create'
import { deleteCampaign } from './draft/delete'
import { updateCampaign } from './draft/update'

const ListQuery = t.Object({ ...pageQuery(), ...campaignFilters })

const HeaderFile = Type.Object(
  {
    media_id: Type.String({ format: 'uuid' }),
    filename: Type.Union([Type.String(), Type.Null()]),
    mime_type: Type.Union([Type.String(), Type.Null()]),
    size_bytes: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'CampaignMedia' },
)

/** Routes to list, create, change and delete campaigns. */
export const campaignRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, ...query } }) =>
        ok(listCampaigns(ctx, { page, limit, ...campaignFilterOf(query) })),
      {
        can: 'campaigns:read',
        query: ListQuery,
        response: { 200: Ok(PageOf(CampaignView)) },
        detail: {
          operationId: 'listCampaigns',
          summary: 'List campaigns',
          description: 'With their settings and figures so far. Most recent first.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await createCampaign(ctx, body))), {
      can: 'campaigns:create',
      refuses: ['400 template_not_approved', '400 media_url_refused'],
      body: NewCampaign,
      response: { 201: Ok(CampaignView) },
      detail: {
        operationId: 'createCampaign',
        summary: 'Create a campaign',
        description:
          'Creates a draft that sends one template to a segment, to contacts that match a filter, to ' +
          'contacts with tags, or to imported recipients. A draft may be incomplete: its ' +
          'template may be missing or in review until it is started. Template and phone number ' +
          'must belong to the same business account.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getCampaign(ctx, params.id)), {
      can: 'campaigns:read',
      params: IdParam,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'getCampaign',
        summary: 'Get a campaign',
        description: 'With its settings and its figures so far.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateCampaign(ctx, params.id, body)), {
      unlessChanged: getCampaign,
      can: 'campaigns:update',
      refuses: ['400 template_not_approved', '400 media_url_refused', '409 wrong_state'],
      params: IdParam,
      body: CampaignChanges,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'updateCampaign',
        summary: 'Update a campaign',
        description:
          'Drafts and scheduled campaigns can be changed. While a campaign is paused, only ' +
          '`name`, `rate_limit`, `budget`, `send_window` and `error_threshold` can be changed. ' +
          'Setting `scheduled_at` to `null` turns a scheduled campaign back into a draft.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteCampaign(ctx, params.id)
        return ok({ message: 'The campaign is deleted. Its messages are kept.' })
      },
      {
        can: 'campaigns:delete',
        refuses: ['409 wrong_state'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteCampaign',
          summary: 'Delete a campaign',
          description: 'Fails with 409 while the campaign is scheduled, sending or paused.',
        },
      },
    )

/** Routes for copies, dry runs and header files of campaigns. */
export const campaignDraftRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post(
      '/:id/duplicate',
      ({ ctx, params, body, status }) => status(201, ok(copyCampaign(ctx, params.id, body))),
      {
        can: 'campaigns:create',
        params: IdParam,
        body: CopyInput,
        response: { 201: Ok(CampaignView) },
        detail: {
          operationId: 'duplicateCampaign',
          summary: 'Copy a campaign',
          description:
            'Creates a draft with the same settings and, if requested, the imported recipients. ' +
            'Many recipients are copied in the background; until then, the copy cannot be dry-run ' +
            'or started.',
        },
      },
    )
    .post('/:id/dry-run', async ({ ctx, params }) => ok(await dryRun(ctx, params.id)), {
      can: 'campaigns:read',
      refuses: ['400 no_template', '409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(DryRun) },
      detail: {
        operationId: 'dryRunCampaign',
        summary: 'Dry-run a campaign',
        description:
          'Returns the number of recipients, exclusions by reason, and the estimated cost. ' +
          'Nothing is stored or sent.',
      },
    })
    .post(
      '/:id/media',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await setHeaderFile(ctx, params.id, body.file))),
      {
        can: { permission: 'campaigns:update', upload: true },
        refuses: ['400 content_mismatch', '404 no_media', '409 wrong_state'],
        params: IdParam,
        body: Type.Object(
          { file: FilePart('File for the template header.') },
          { title: 'CampaignMediaInput', examples: [{}] },
        ),
        response: { 201: Ok(HeaderFile) },
        detail: {
          operationId: 'uploadCampaignMedia',
          summary: 'Upload the header file',
          description:
            'For templates whose header has a file. The file is uploaded to the platform once per ' +
            'phone number.',
        },
      },
    )
    .get(
      '/:id/media',
      async ({ ctx, params, request }) =>
        fileResponse(request, await headerContent(ctx, params.id)),
      {
        can: 'campaigns:read',
        refuses: ['404 no_media', '404 media_failed', '404 media_expired', '409 media_pending'],
        params: IdParam,
        detail: {
          operationId: 'downloadCampaignMedia',
          summary: 'Download the header file',
          description: 'Supports `Range` and `If-None-Match`.',
          responses: fileResponses(MESSAGE_FILE_TYPES),
        },
      },
    )
