import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { fileAnswer, fileResponses, MESSAGE_FILE_TYPES } from '../../http/file-response'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../http/pagination'
import { oneOf } from '../../lib/fields'
import { FilePart } from '../../http/multipart'
import { copyCampaign } from './draft/copy'
import { dryRun } from './draft/dry-run'
import { headerContent, setHeaderFile } from './draft/header-file'
import {
  CAMPAIGN_STATUSES,
  CampaignChanges,
  CampaignView,
  CopyInput,
  DryRun,
  NewCampaign,
} from './model'
import { getCampaign, listCampaigns } from './queries'
import { createCampaign, deleteCampaign, updateCampaign } from './draft/create'

const ListQuery = t.Object({
  ...pageQuery(),
  status: t.Optional(oneOf(CAMPAIGN_STATUSES)),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  template_id: t.Optional(t.String({ format: 'uuid' })),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of the name.' })),
  from: t.Optional(
    t.String({
      maxLength: 40,
      description: 'Made on that day or later: a date, or a time with offset.',
    }),
  ),
  to: t.Optional(t.String({ maxLength: 40, description: 'Made on that day or earlier.' })),
})

const HeaderFile = Type.Object(
  {
    media_id: Type.String({ format: 'uuid' }),
    filename: Type.Union([Type.String(), Type.Null()]),
    mime_type: Type.Union([Type.String(), Type.Null()]),
    size_bytes: Type.Union([Type.Integer(), Type.Null()]),
  },
  { title: 'CampaignMedia' },
)

/** Campaigns: drafting them, looking at them, taking them away. */
export const campaignRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .get(
      '',
      ({
        ctx,
        query: { page = 1, limit = 20, status, account_id, template_id, search, from, to },
      }) =>
        ok(
          listCampaigns(ctx, {
            page,
            limit,
            status,
            accountId: account_id,
            templateId: template_id,
            search,
            from,
            to,
          }),
        ),
      {
        can: 'campaigns:read',
        query: ListQuery,
        response: { 200: Ok(PageOf(CampaignView)) },
        detail: {
          operationId: 'listCampaigns',
          summary: 'Campaigns',
          description: 'Newest first.',
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
        summary: 'Draft a campaign',
        description:
          'One template to many people: those of a segment, with tags, or brought in. Template and number must belong to the same business account.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getCampaign(ctx, params.id)), {
      can: 'campaigns:read',
      params: IdParam,
      response: { 200: Ok(CampaignView) },
      detail: { operationId: 'getCampaign', summary: 'One campaign' },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateCampaign(ctx, params.id, body)), {
      can: 'campaigns:update',
      refuses: ['400 template_not_approved', '400 media_url_refused', '409 wrong_state'],
      params: IdParam,
      body: CampaignChanges,
      response: { 200: Ok(CampaignView) },
      detail: {
        operationId: 'updateCampaign',
        summary: 'Change a campaign',
        description:
          'A draft or one that waits for its time; name, rate_limit, budget, send_window and error_threshold also while it is paused. Without `scheduled_at` (null) one that waits is a draft again.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteCampaign(ctx, params.id)
        return ok({ message: 'The campaign is deleted; its messages are not.' })
      },
      {
        can: 'campaigns:delete',
        refuses: ['409 wrong_state'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteCampaign',
          summary: 'Delete a campaign',
          description: 'Not while it is scheduled, sending or paused.',
        },
      },
    )

/** Copies, trials and headers of campaigns. */
export const campaignPartRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/campaigns', tags: ['Campaigns'] })
    .use(guard(http))
    .post(
      '/:id/duplicate',
      ({ ctx, params, body, status }) => status(201, ok(copyCampaign(ctx, params.id, body ?? {}))),
      {
        can: 'campaigns:create',
        params: IdParam,
        body: t.Union([CopyInput, t.Null()]),
        response: { 201: Ok(CampaignView) },
        detail: {
          operationId: 'duplicateCampaign',
          summary: 'Copy a campaign',
          description:
            'A draft like it, with those who were brought in when asked for. When they are many they come in afterwards; until then the copy is neither tried nor started.',
        },
      },
    )
    .post('/:id/dry-run', async ({ ctx, params }) => ok(await dryRun(ctx, params.id)), {
      can: 'campaigns:read',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(DryRun) },
      detail: {
        operationId: 'dryRunCampaign',
        summary: 'Try a campaign',
        description:
          'Says who would get it, who would not and why, and what it would cost. Nothing is stored or sent.',
      },
    })
    .post(
      '/:id/media',
      async ({ ctx, params, body, status }) =>
        status(201, ok(await setHeaderFile(ctx, params.id, body.file))),
      {
        canUpload: { permission: 'campaigns:update' },
        refuses: ['400 content_mismatch', '404 no_media', '409 wrong_state'],
        params: IdParam,
        body: Type.Object(
          { file: FilePart('The file of the header.') },
          { title: 'NewCampaignMedia', examples: [{}] },
        ),
        response: { 201: Ok(HeaderFile) },
        detail: {
          operationId: 'uploadCampaignMedia',
          summary: 'Set the file of the header',
          description:
            'Of a template whose header takes one; it is uploaded to the platform once per number.',
        },
      },
    )
    .get(
      '/:id/media',
      async ({ ctx, params, request }) => fileAnswer(request, await headerContent(ctx, params.id)),
      {
        can: 'campaigns:read',
        refuses: ['404 no_media', '404 media_failed', '404 media_expired', '409 media_pending'],
        params: IdParam,
        detail: {
          operationId: 'downloadCampaignMedia',
          summary: 'The file of the header',
          description: 'Takes `Range` and `If-None-Match`.',
          responses: fileResponses(MESSAGE_FILE_TYPES),
        },
      },
    )
