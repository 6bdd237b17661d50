import { Elysia, t } from 'elysia'

import { Ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { okText } from '../../../http/read-answer'
import { MAX_SUGGESTED, Suggestions } from './model'
import { Suggest } from './readers'

export const suggestRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/suggest', tags: ['Conversations'] })
    .use(guard(http))
    .get('', async ({ ctx, query }) => okText(await ctx.reads.text(Suggest, ctx, query)), {
      can: 'contacts:read',
      query: t.Object({
        q: t.String({
          minLength: 2,
          maxLength: 100,
          description:
            'The beginning of one or more words of the contact’s name, or at least two digits of ' +
            'its phone number, in any format.',
        }),
      }),
      response: { 200: Ok(Suggestions) },
      detail: {
        operationId: 'suggest',
        summary: 'Suggest contacts and conversations',
        description:
          `Returns up to ${MAX_SUGGESTED} contacts and conversations that the caller can see, most ` +
          'recent message first, for a search as you type. Without `messages:read`, only contacts. ' +
          'These requests have a rate limit of their own.',
      },
    })
