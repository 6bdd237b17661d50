import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { FilePart } from '../../../http/multipart'
import { okText } from '../../../http/read-answer'
import { PLATFORM_ERRORS } from '../accounts/platform-errors'
import { checkTemplate } from './check'
import { archiveTemplate, restoreTemplate } from './archive'
import { deleteTemplate } from './delete'
import { duplicateTemplate } from './duplicate'
import { updateTemplate } from './update'
import {
  NewTemplate,
  SyncOf,
  TemplateCheck,
  TemplateCheckInput,
  TemplateChanges,
  TemplateCopy,
  TemplateSyncResult,
  TemplateView,
} from './model'
import {
  TemplatePreview,
  TemplatePreviewInput,
  TemplateSample,
  TemplateStats,
} from './preview-model'
import { previewTemplate } from './preview'
import { uploadTemplateMedia } from './upload-sample'
import { ReadTemplateStats } from './readers'
import { createTemplate } from './create'
import { publishTemplate } from './publish'
import { getTemplate, listTemplates } from './queries'
import { syncTemplates } from './sync'

const word = (description: string) =>
  t.Optional(t.String({ minLength: 1, maxLength: 100, description }))

const TemplatesQuery = t.Object({
  ...pageQuery(),
  status: word('Status, such as APPROVED.'),
  category: word('MARKETING, UTILITY or AUTHENTICATION.'),
  language: word('Language, such as en_US.'),
  account_id: t.Optional(
    t.String({ format: 'uuid', description: "Only templates of this account's business account." }),
  ),
  quality: word('GREEN, YELLOW, RED or UNKNOWN.'),
  search: t.Optional(
    t.String({ minLength: 1, maxLength: 255, description: 'Part of the name or text.' }),
  ),
  rejected_first: t.Optional(
    t.BooleanString({
      description:
        'Whether templates that WhatsApp rejected come before the others. Defaults to `false`.',
    }),
  ),
  name: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 512,
      description: 'The exact name, such as order_shipped, to list its languages.',
    }),
  ),
  sendable: t.Optional(
    t.BooleanString({
      description: 'Whether to return only templates that can be sent. Defaults to `false`.',
    }),
  ),
})

/** Errors of publishing a template. */
const PUBLISH_REFUSALS = [
  '400 sample_missing',
  '400 max_price_off',
  '400 account_inactive',
  '400 app_unknown',
  '409 pending',
  '409 edit_limit',
  '409 wrong_state',
  ...PLATFORM_ERRORS,
] as const

/** Errors of archiving and restoring a template. */
const ARCHIVE_REFUSALS = ['400 account_inactive', ...PLATFORM_ERRORS] as const

/** Routes to create, sync and read templates. */
export const templateRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/templates', tags: ['Templates'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, account_id, sendable, rejected_first, ...query } }) =>
        ok(
          listTemplates(ctx, {
            ...query,
            page,
            limit,
            accountId: account_id,
            isSendable: sendable,
            isRejectedFirst: rejected_first,
          }),
        ),
      {
        can: 'templates:read',
        query: TemplatesQuery,
        response: { 200: Ok(PageOf(TemplateView)) },
        detail: {
          operationId: 'listTemplates',
          summary: 'List templates',
          description: 'Lists templates, newest first.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await createTemplate(ctx, body))), {
      can: 'templates:create',
      retires: {
        ...{ of: { field: 'allow_category_change' }, since: '2026-12-01', sunset: '2027-12-01' },
      },
      refuses: ['409 template_exists', ...PUBLISH_REFUSALS],
      body: NewTemplate,
      response: { 201: Ok(TemplateView) },
      detail: {
        operationId: 'createTemplate',
        summary: 'Create a template',
        description:
          'Validates the template and reports all problems in `errors`. With `submit`, also ' +
          'publishes it; if the platform rejects it, the template stays a draft and `details` ' +
          'holds its ID.',
      },
    })
    .post('/validate', ({ ctx, body }) => ok(checkTemplate(ctx, body)), {
      can: 'templates:read',
      body: TemplateCheckInput,
      response: { 200: Ok(TemplateCheck) },
      detail: {
        operationId: 'validateTemplate',
        summary: 'Validate a template',
        description:
          'Returns everything for which WhatsApp would refuse the template, also a missing sample of ' +
          'its header. Nothing is stored.',
      },
    })
    .post('/sync', async ({ ctx, body }) => ok(await syncTemplates(ctx, body.account_id)), {
      can: { permission: 'templates:sync', bulk: true },
      refuses: PLATFORM_ERRORS,
      body: SyncOf,
      response: { 200: Ok(TemplateSyncResult) },
      detail: {
        operationId: 'syncTemplates',
        summary: 'Sync templates',
        description:
          'Fetches templates of one business account, or of all, from the platform. Also ' +
          'runs every hour. Unpublished local changes are kept.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getTemplate(ctx, params.id)), {
      can: 'templates:read',
      params: IdParam,
      response: { 200: Ok(TemplateView) },
      detail: {
        operationId: 'getTemplate',
        summary: 'Get a template',
        description: 'With its components, its variables, and what WhatsApp says about it.',
      },
    })

/** Routes to update, delete and publish templates. */
export const templateChangeRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/templates', tags: ['Templates'] })
    .use(guard(http))
    .put('/:id', ({ ctx, params, body }) => ok(updateTemplate(ctx, params.id, body)), {
      unlessChanged: getTemplate,
      can: 'templates:update',
      refuses: ['400 max_price_off', '409 pending'],
      params: IdParam,
      body: TemplateChanges,
      response: { 200: Ok(TemplateView) },
      detail: {
        operationId: 'updateTemplate',
        summary: 'Update a template',
        description:
          'Only the fields you send change. The changes are local: until you publish them, the ' +
          'platform sends its own version.',
      },
    })
    .delete(
      '/:id',
      async ({ ctx, params, query: { all_languages, local_only } }) => {
        await deleteTemplate(ctx, params.id, {
          isAllLanguages: all_languages === true,
          isLocalOnly: local_only === true,
        })
        return ok({ message: 'The template is deleted.' })
      },
      {
        can: 'templates:delete',
        refuses: ['409 in_use', '409 pending', '400 account_inactive', ...PLATFORM_ERRORS],
        params: IdParam,
        query: t.Object({
          all_languages: t.Optional(
            t.BooleanString({
              description: 'Whether to delete all languages of the template. Defaults to `false`.',
            }),
          ),
          local_only: t.Optional(
            t.BooleanString({
              description:
                'Whether to delete only the local copy; the next sync restores a template that is ' +
                'still on the platform. Defaults to `false`.',
            }),
          ),
        }),
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteTemplate',
          summary: 'Delete a template',
          description:
            'Deletes the template on the platform first. The platform does not accept its name ' +
            'again for some weeks.',
        },
      },
    )
    .post('/:id/archive', async ({ ctx, params }) => ok(await archiveTemplate(ctx, params.id)), {
      can: 'templates:delete',
      refuses: ['409 in_use', '409 pending', '409 wrong_state', ...ARCHIVE_REFUSALS],
      params: IdParam,
      response: { 200: Ok(TemplateView) },
      detail: {
        operationId: 'archiveTemplate',
        summary: 'Archive a template',
        description:
          'Archives an approved or rejected template. It cannot be sent then. WhatsApp deletes it 28 ' +
          'days later (`deleted_from_archive_at`); until then it can be restored. WhatsApp itself ' +
          'archives templates that were not used for 12 months.',
      },
    })
    .post('/:id/restore', async ({ ctx, params }) => ok(await restoreTemplate(ctx, params.id)), {
      can: 'templates:update',
      refuses: ['409 pending', '409 wrong_state', ...ARCHIVE_REFUSALS],
      params: IdParam,
      response: { 200: Ok(TemplateView) },
      detail: {
        operationId: 'restoreTemplate',
        summary: 'Restore a template from the archive',
        description: 'Restores an archived template with the status that it had before.',
      },
    })
    .post('/:id/publish', async ({ ctx, params }) => ok(await publishTemplate(ctx, params.id)), {
      can: 'templates:update',
      refuses: PUBLISH_REFUSALS,
      params: IdParam,
      response: { 200: Ok(TemplateView) },
      detail: {
        operationId: 'publishTemplate',
        summary: 'Publish a template',
        description:
          'Submits a new or changed template for review. Approved templates can be changed once ' +
          'per 24 hours and ten times per 30 days.',
      },
    })
    .post(
      '/:id/duplicate',
      ({ ctx, params, body, status }) => status(201, ok(duplicateTemplate(ctx, params.id, body))),
      {
        can: 'templates:create',
        refuses: ['409 template_exists'],
        params: IdParam,
        body: TemplateCopy,
        response: { 201: Ok(TemplateView) },
        detail: {
          operationId: 'duplicateTemplate',
          summary: 'Duplicate a template',
          description: 'Makes a draft with the same components.',
        },
      },
    )

const Sample = Type.Object(
  {
    account_id: Type.String({ format: 'uuid' }),
    file: FilePart('Image, video or document.'),
  },
  {
    title: 'TemplateSampleInput',
    examples: [{ account_id: '0192f7a0-0000-7000-8000-000000000002' }],
  },
)

const StatsQuery = t.Object({
  from: t.Optional(
    t.String({ format: 'date-time', description: 'Defaults to 30 days before `to`.' }),
  ),
  to: t.Optional(t.String({ format: 'date-time', description: 'Defaults to now.' })),
})

/** Routes for previews, statistics and samples. */
export const templateUseRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/templates', tags: ['Templates'] })
    .use(guard(http))
    .post(
      '/upload-media',
      async ({ ctx, body, status }) =>
        status(
          201,
          ok(await uploadTemplateMedia(ctx, { accountId: body.account_id, file: body.file })),
        ),
      {
        can: { permission: 'templates:create', upload: true },
        refuses: ['400 content_mismatch', '400 app_unknown', ...PLATFORM_ERRORS],
        body: Sample,
        response: { 201: Ok(TemplateSample) },
        detail: {
          operationId: 'uploadTemplateMedia',
          summary: 'Upload a header sample',
          description: 'The platform requires a sample file to review a header with a file.',
        },
      },
    )
    .post('/:id/preview', ({ ctx, params, body }) => ok(previewTemplate(ctx, params.id, body)), {
      can: 'templates:read',
      params: IdParam,
      body: TemplatePreviewInput,
      response: { 200: Ok(TemplatePreview) },
      detail: {
        operationId: 'previewTemplate',
        summary: 'Preview a template',
        description:
          'Renders the template with the given values as the customer sees it, and lists missing ' +
          'values. Nothing is sent.',
      },
    })
    .get(
      '/:id/stats',
      async ({ ctx, params, query: { from, to } }) =>
        okText(
          await ctx.reads.text(ReadTemplateStats, ctx, {
            templateId: params.id,
            fromMs: from === undefined ? undefined : Date.parse(from),
            toMs: to === undefined ? undefined : Date.parse(to),
          }),
        ),
      {
        can: 'templates:read',
        params: IdParam,
        query: StatsQuery,
        response: { 200: Ok(TemplateStats) },
        detail: {
          operationId: 'getTemplateStats',
          summary: 'Get template statistics',
          description:
            'How many messages with it were sent, delivered, read and failed, and what they cost.',
        },
      },
    )
