import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import type { Ctx } from '../../infra/ctx'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import {
  changeRetention,
  RetentionChanges,
  retentionView,
  RetentionView,
} from '../organizations/retention/service'
import { nextNightMs } from './nightly-schedule'
import { previewRetention } from './preview'

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

/** How long an organization keeps what. */
export const retentionRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/retention', tags: ['Privacy'] })
    .use(guard(http))
    .get('', ({ ctx }) => ok(view(ctx)), {
      can: 'settings:read',
      response: { 200: Ok(RetentionView) },
      detail: { operationId: 'getRetention', summary: 'How long what is kept' },
    })
    .put(
      '',
      ({ ctx, body }) => {
        changeRetention(ctx, body)
        return ok(view(ctx))
      },
      {
        can: 'settings:update',
        body: RetentionChanges,
        response: { 200: Ok(RetentionView) },
        detail: {
          operationId: 'updateRetention',
          summary: 'Change how long what is kept',
          description:
            'Only the fields sent change. Shorter limits count after 24 hours (`effective_at`), longer ones and a legal hold at once.',
        },
      },
    )
    .post('/preview', ({ ctx, body }) => ok({ would_delete: previewRetention(ctx, body ?? {}) }), {
      can: 'settings:update',
      body: Type.Union([RetentionChanges, Type.Null()]),
      response: { 200: Ok(Preview) },
      detail: {
        operationId: 'previewRetention',
        summary: 'What a night would erase',
        description:
          'With these limits, or without a body the present ones, as if they counted already; nothing is changed.',
      },
    })
