import { Elysia, t } from 'elysia'

import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { textAnswer } from '../../../http/text-response'
import { CONTENT_SECURITY } from './style'
import { FORMATS, openTranscript } from './transcript'

const TranscriptQuery = t.Object({
  format: t.Optional(oneOf(FORMATS, { description: 'Default html: a page that prints on A4.' })),
  from: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 40,
      description: 'A day of the organization (`2026-11-21`) or a time; from then on.',
    }),
  ),
  to: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 40,
      description: 'The last day, included, or the last time.',
    }),
  ),
  notes: t.Optional(
    t.Boolean({
      description: 'Whether what members noted about the contact stands in between. Default false.',
    }),
  ),
})

const text = { schema: { type: 'string' as const } }
const FILE = {
  200: {
    description: 'The file.',
    content: { 'text/html': text, 'text/csv': text, 'application/json; charset=utf-8': text },
  },
}

/** What was said in one conversation, as a file. */
export const transcriptRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] }).use(guard(http)).get(
    '/:id/transcript',
    ({ ctx, params, query: { format = 'html', from, to, notes = false }, request }) => {
      const file = openTranscript(ctx, params.id, { format, from, to, hasNotes: notes })
      return textAnswer(request, {
        ...file,
        contentSecurity: format === 'html' ? CONTENT_SECURITY : undefined,
      })
    },
    {
      canBulk: 'contacts:export',
      params: IdParam,
      query: TranscriptQuery,
      detail: {
        operationId: 'getConversationTranscript',
        summary: 'Transcript of a conversation',
        description:
          'All messages in the order of their times as a page to read, print or save as PDF, as CSV, or as JSON with each message as the API answers it. Sent while it is made, with what you see at each moment: it breaks off when you lose the right or the contact. Numbers are masked as everywhere; the audit log tells of it. Also needs messages:read.',
        responses: FILE,
      },
    },
  )
