import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, wholeNumber } from '../../../../http/pagination'
import { listTimeline } from './list'
import { TimelinePage } from './model'

/** Route for what happened in a conversation. */
export const timelineRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get(
      '/:id/timeline',
      ({ ctx, params, query: { limit = 50, cursor } }) =>
        ok(listTimeline(ctx, params.id, { limit, cursor })),
      {
        can: 'messages:read',
        params: IdParam,
        query: t.Object({
          limit: wholeNumber('limit', {
            minimum: 1,
            maximum: 100,
            default: 50,
            description: 'Items per page.',
          }),
          cursor: t.Optional(
            t.String({ maxLength: 200, description: '`next_cursor` from the previous page.' }),
          ),
        }),
        response: { 200: Ok(TimelinePage) },
        detail: {
          operationId: 'listConversationTimeline',
          summary: 'List what happened in a conversation',
          description:
            'Lists assignments, states, priorities, tags, transfers, bot sessions, merges and ' +
            'campaigns, newest first, with who did it. Kept as long as the conversation.',
        },
      },
    )
