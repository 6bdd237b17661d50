import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { PageOf, pageQuery } from '../../../../http/pagination'
import { WorkView } from './model'
import { listWork } from './queries'

/** The route for the caller's work. */
export const workRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/me/work', tags: ['Me'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, running } }) =>
        ok(listWork(ctx, { page, limit, running })),
      {
        can: 'session',
        query: t.Object({
          ...pageQuery(),
          running: t.Optional(t.BooleanString({ description: 'Only work that is under way.' })),
        }),
        response: { 200: Ok(PageOf(WorkView)) },
        detail: {
          operationId: 'listMyWork',
          summary: 'List my work',
          description:
            'Imports, exports, archives, erasures and changes of many that the caller started, newest ' +
            'first, also what ended in the last seven days. Not what API keys started. The event `work:progress` ' +
            'tells how far each is.',
        },
      },
    )
