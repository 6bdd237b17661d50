import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { PresenceList } from './model'
import type { Presence } from './presence'
import { listPresence } from './queries'

/** Route that tells who is in which conversation. */
export const presenceRoutes = (http: Http, presence: Presence) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] })
    .use(guard(http))
    .get('/presence', ({ ctx }) => ok(listPresence(ctx, presence)), {
      can: 'messages:read',
      response: { 200: Ok(PresenceList) },
      detail: {
        operationId: 'listConversationPresence',
        summary: 'List who is in which conversation',
        description:
          'Users who view or type in conversations that the caller can see, as their clients say ' +
          'with `presence` frames. Ask once after opening a socket; `conversation:presence` tells ' +
          'later changes.',
      },
    })
