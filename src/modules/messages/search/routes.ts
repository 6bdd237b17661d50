import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { longQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { FoundMessages } from './model'
import { searchMessages } from './search'

const { limit, cursor } = longQuery()
const Time = (description: string) => t.Optional(t.String({ format: 'date-time', description }))
const SearchQuery = t.Object({
  q: t.String({
    minLength: 2,
    maxLength: 200,
    description:
      'All words are required; `"words in a row"` and `word*` work. The last word may be unfinished.',
  }),
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  direction: t.Optional(oneOf(['incoming', 'outgoing'])),
  type: t.Optional(
    t.String({ minLength: 1, maxLength: 40, description: 'text, image, document …' }),
  ),
  from: Time('Said then or later.'),
  to: Time('Said before.'),
  limit,
  cursor,
})

/** Full-text search. */
export const searchRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/messages', tags: ['Messages'] }).use(guard(http)).get(
    '/search',
    async ({
      ctx,
      query: {
        q,
        limit: most = 20,
        cursor: place,
        contact_id,
        account_id,
        direction,
        type,
        from,
        to,
      },
    }) =>
      ok(
        await searchMessages(ctx, {
          q,
          limit: most,
          cursor: place,
          contactId: contact_id,
          accountId: account_id,
          direction,
          type,
          fromMs: from === undefined ? undefined : Date.parse(from),
          beforeMs: to === undefined ? undefined : Date.parse(to),
        }),
      ),
    {
      can: 'messages:read',
      query: SearchQuery,
      response: { 200: Ok(FoundMessages) },
      detail: {
        operationId: 'searchMessages',
        summary: 'Search messages',
        description:
          'Over texts, captions, titles, file names and names in shared contacts; case and accents do not count. What holds the words as they stand comes first, the newest first among each.',
      },
    },
  )
