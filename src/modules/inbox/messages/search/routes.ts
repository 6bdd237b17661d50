import { Elysia, t } from 'elysia'

import { Ok } from '../../../../http/envelope'
import { okText } from '../../../../http/read-answer'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { longQuery } from '../../../../http/pagination'
import { oneOf } from '../../../../lib/fields'
import { FoundMessages, FoundNotes } from './model'
import { SearchMessages, SearchNotes } from './readers'

const { limit, cursor } = longQuery()
const Time = (description: string) => t.Optional(t.String({ format: 'date-time', description }))
const q = t.String({
  minLength: 2,
  maxLength: 200,
  description:
    'Search query. All words must match. Use quotes for phrases and `word*` for prefixes; ' +
    'the last word is always a prefix.',
})
const SearchQuery = t.Object({
  q,
  contact_id: t.Optional(t.String({ format: 'uuid' })),
  account_id: t.Optional(t.String({ format: 'uuid' })),
  direction: t.Optional(oneOf(['incoming', 'outgoing'])),
  type: t.Optional(
    t.String({ minLength: 1, maxLength: 40, description: '`text`, `image`, `document`, ….' }),
  ),
  from: Time('Sent at or after this time.'),
  to: Time('Sent before this time.'),
  limit,
  cursor,
})

/** Routes of the full-text search. */
export const searchRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/messages', tags: ['Messages'] })
    .use(guard(http))
    .get(
      '/search',
      async ({
        ctx,
        query: {
          q: words,
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
        okText(
          await ctx.reads.text(SearchMessages, ctx, {
            q: words,
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
            'Searches text, captions, titles, file names and shared contacts, ignoring case and ' +
            'accents. Exact word matches come first, then most recent.',
        },
      },
    )
    .get(
      '/search/notes',
      async ({ ctx, query: { contact_id: contactId, ...query } }) =>
        okText(await ctx.reads.text(SearchNotes, ctx, { limit: 20, ...query, contactId })),
      {
        can: 'messages:read',
        query: t.Object({ q, contact_id: t.Optional(t.String({ format: 'uuid' })), limit, cursor }),
        response: { 200: Ok(FoundNotes) },
        detail: {
          operationId: 'searchNotes',
          summary: 'Search notes',
          description:
            'Searches the notes about the contacts that the caller can see, ignoring case and ' +
            'accents, most recent first.',
        },
      },
    )
