import { Elysia, t } from 'elysia'

import { Ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { pageQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { TeamBoard } from './model'
import { ReadTeamBoard } from './readers'

/** The route of the live board. */
export const teamBoardRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/team-board', tags: ['Analytics'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, query: { page = 1, limit = 20 } }) =>
        okText(await ctx.reads.text(ReadTeamBoard, ctx, { page, limit })),
      {
        can: { permission: ['analytics:read', 'transfers:assign'] },
        query: t.Object(pageQuery()),
        response: { 200: Ok(TeamBoard) },
        detail: {
          operationId: 'getTeamBoard',
          summary: 'Get the live board',
          description:
            'Who is available, who has how many conversations, who waits longest, and the queues. ' +
            'People whose customers wait longest come first. WebSocket clients that subscribe to ' +
            '`board` receive what changed as `team:board`, at most once a second.',
        },
      },
    )
