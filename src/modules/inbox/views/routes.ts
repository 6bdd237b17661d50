import { Elysia, t } from 'elysia'

import { oneOf } from '../../../lib/fields'
import { normalizeId, UUID_PATTERN } from '../../../lib/ids'
import { MessageAnswer, Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { countViews } from './counts'
import { NewView, SavedView, ViewChanges, ViewCountsAnswer } from './model'
import { getView, listViews } from './queries'
import { createView, deleteView, updateView } from './service'
import { VIEW_RESOURCES } from './table'

const CountsQuery = t.Object({
  ids: t.String({
    pattern: `^${UUID_PATTERN}(,${UUID_PATTERN}){0,9}$`,
    description: 'Comma-separated IDs of up to 10 views.',
  }),
})

/** Routes for saved views. */
export const viewRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/views', tags: ['Views'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 50, resource } }) =>
        ok(listViews(ctx, { page, limit, resource })),
      {
        can: 'session',
        query: t.Object({ ...pageQuery(50), resource: t.Optional(oneOf(VIEW_RESOURCES)) }),
        response: { 200: Ok(PageOf(SavedView)) },
        detail: {
          operationId: 'listViews',
          summary: 'List saved views',
          description:
            'Lists your own and shared views by `position`, without shared ones of lists that you may ' +
            'not read. Each person sees only what they may see in the list of a shared view. ' +
            'Phone numbers in the `search` of views of others are masked where numbers are.',
        },
      },
    )
    .get(
      '/counts',
      async ({ ctx, query }) => ok(await countViews(ctx, query.ids.split(',').map(normalizeId))),
      {
        can: 'session',
        query: CountsQuery,
        response: { 200: Ok(ViewCountsAnswer) },
        detail: {
          operationId: 'countViews',
          summary: 'Count the rows of views',
          description:
            'Counts what you see in each view, up to 1,000. Counts are up to 5 seconds old. ' +
            'Unknown views are left out.',
        },
      },
    )
    .post('', ({ ctx, body, status }) => status(201, ok(createView(ctx, body))), {
      can: 'session',
      refuses: ['403 permission_denied', '409 limit_reached'],
      body: NewView,
      response: { 201: Ok(SavedView) },
      detail: {
        operationId: 'createView',
        summary: 'Save a view',
        description:
          'Saves the filter of a list. ' +
          '`is_shared` requires `contacts:update`. A person can have 50 private views, an ' +
          'organization 100 shared ones.',
      },
    })
    .put('/:id', ({ ctx, params, body }) => ok(updateView(ctx, params.id, body)), {
      can: 'session',
      refuses: ['403 permission_denied', '409 limit_reached'],
      unlessChanged: getView,
      params: IdParam,
      body: ViewChanges,
      response: { 200: Ok(SavedView) },
      detail: {
        operationId: 'updateView',
        summary: 'Update a view',
        description:
          'A shared view requires `contacts:update`. If a shared view becomes private, it becomes ' +
          'yours.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteView(ctx, params.id)
        return ok({ message: 'The view is deleted.' })
      },
      {
        can: 'session',
        refuses: ['403 permission_denied'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteView',
          summary: 'Delete a view',
          description: 'A shared view requires `contacts:update`.',
        },
      },
    )
