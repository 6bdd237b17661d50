import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { ColleagueView } from './model'
import { getColleague, listColleagues } from './queries'

const ColleagueQuery = t.Object({
  ...pageQuery(),
  search: t.Optional(t.String({ maxLength: 255, description: 'Part of the name.' })),
})

/** Route for the other members of the organization. */
export const colleagueRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/colleagues', tags: ['Users'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, search } }) =>
        ok(listColleagues(ctx, { page, limit, search })),
      {
        can: 'session',
        query: ColleagueQuery,
        response: {
          200: Ok(t.Object(PageOf(ColleagueView).properties, { title: 'ColleagueList' })),
        },
        detail: {
          operationId: 'listColleagues',
          summary: 'List colleagues',
          description:
            'Lists the active members of the organization by name, for assigning and mentioning ' +
            'them. Every signed-in member may call it; it contains no emails.',
        },
      },
    )
    .get('/:id', ({ ctx, params: { id } }) => ok(getColleague(ctx, id)), {
      can: 'session',
      params: IdParam,
      response: { 200: Ok(ColleagueView) },
      detail: {
        operationId: 'getColleague',
        summary: 'Get a colleague',
        description: 'An active member of the organization. Every signed-in member may call it.',
      },
    })
