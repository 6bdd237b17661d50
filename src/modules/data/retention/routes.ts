import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import type { Ctx } from '../../../infra/ctx'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { okText } from '../../../http/read-answer'
import {
  changeRetention,
  RetentionChanges,
  TriedRetention,
  retentionView,
  RetentionView,
} from '../../organization/organizations/retention/service'
import { nextNightMs } from './nightly-schedule'
import { PreviewRetention } from './readers'

const Preview = Type.Object(
  {
    would_delete: Type.Object({
      messages: Type.Integer(),
      media: Type.Integer(),
      media_bytes: Type.Integer(),
      notes: Type.Integer(),
      contacts: Type.Integer(),
    }),
  },
  { title: 'RetentionPreview', description: 'Each counted up to 100,000.' },
)

const view = (ctx: Ctx): RetentionView => retentionView(ctx, nextNightMs(ctx))

/** Routes for the retention policy of an organization. */
export const retentionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/retention', tags: ['Privacy'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(view(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(RetentionView) },
      detail: {
        operationId: 'getRetention',
        summary: 'Get the retention settings',
        description: 'How long what is kept, and when the next run deletes the rest.',
      },
    })
    .put(
      '',
      ({ ctx, body }) => {
        changeRetention(ctx, body)
        return ok(view(ctx))
      },
      {
        unlessChanged: view,
        can: 'settings:update',
        body: RetentionChanges,
        response: { 200: Ok(RetentionView) },
        detail: {
          operationId: 'updateRetention',
          summary: 'Update the retention settings',
          description:
            'Only the fields you send change. Shorter limits take effect after 24 hours ' +
            '(`effective_at`); longer ones and `legal_hold` immediately.',
        },
      },
    )
    .post(
      '/preview',
      async ({ ctx, body }) =>
        okText(
          await ctx.reads.text(PreviewRetention, ctx, {
            changes: body,
            journalDays: ctx.settings.journalDays,
          }),
        ),
      {
        can: 'settings:update',
        body: TriedRetention,
        response: { 200: Ok(Preview) },
        detail: {
          operationId: 'previewRetention',
          summary: 'Preview retention',
          description:
            'Counts what the next nightly run would erase with these limits, or with the current ' +
            'ones for those that are not sent. Nothing is changed.',
        },
      },
    )
