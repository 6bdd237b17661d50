import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { NewSegment, SegmentChanges, SegmentPreview, SegmentProbe, SegmentView } from './model'
import { createSegment, deleteSegment, updateSegment } from './service'
import { getSegment, listSegments } from './queries'
import { PreviewSegment } from './readers'

const SegmentQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ minLength: 1, maxLength: 255, description: 'Part of the name.' })),
})

export const segmentRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/segments', tags: ['Contacts'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search } }) =>
        ok(listSegments(ctx, { page, limit, search })),
      {
        can: 'contacts:read',
        query: SegmentQuery,
        response: { 200: Ok(PageOf(SegmentView)) },
        detail: {
          operationId: 'listSegments',
          summary: 'List segments',
          description: 'Lists shared and own segments by name.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await createSegment(ctx, body))), {
      can: 'contacts:read',
      refuses: ['400 segment_too_expensive', '409 name_taken'],
      body: NewSegment,
      response: { 201: Ok(SegmentView) },
      detail: {
        operationId: 'createSegment',
        summary: 'Create a segment',
        description: '`shared` requires `contacts:update`.',
      },
    })
    .post(
      '/preview',
      async ({ ctx, body }) => okText(await ctx.reads.text(PreviewSegment, ctx, body.filter)),
      {
        can: 'contacts:read',
        refuses: ['400 segment_too_expensive'],
        body: SegmentProbe,
        response: { 200: Ok(SegmentPreview) },
        detail: {
          operationId: 'previewSegment',
          summary: 'Preview a segment',
          description: 'Counts matching contacts that the caller can see and returns ten of them.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getSegment(ctx, params.id)), {
      can: 'contacts:read',
      params: IdParam,
      response: { 200: Ok(SegmentView) },
      detail: {
        operationId: 'getSegment',
        summary: 'Get a segment',
        description: 'With its filter.',
      },
    })
    .put('/:id', async ({ ctx, params, body }) => ok(await updateSegment(ctx, params.id, body)), {
      unlessChanged: getSegment,
      can: 'contacts:read',
      refuses: ['400 segment_too_expensive', '409 name_taken'],
      params: IdParam,
      body: SegmentChanges,
      response: { 200: Ok(SegmentView) },
      detail: {
        operationId: 'updateSegment',
        summary: 'Update a segment',
        description: 'A shared segment requires `contacts:update`.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteSegment(ctx, params.id)
        return ok({ message: 'The segment is deleted. Its contacts are kept.' })
      },
      {
        can: 'contacts:read',
        refuses: ['409 in_use'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteSegment',
          summary: 'Delete a segment',
          description: 'A shared segment requires `contacts:update`.',
        },
      },
    )
