import { Elysia, t } from 'elysia'

import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { oneOf } from '../../../../lib/fields'
import { textFileResponse } from '../../../../http/text-response'
import { CONTENT_SECURITY } from './style'
import { FORMATS, openTranscript } from './transcript'

const TranscriptQuery = t.Object({
  format: t.Optional(
    oneOf(FORMATS, { description: 'File format. Defaults to `html`, a page that prints on A4.' }),
  ),
  from: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 40,
      description: "Date in the organization's time zone (`2026-11-21`) or time, inclusive.",
    }),
  ),
  to: t.Optional(
    t.String({
      minLength: 1,
      maxLength: 40,
      description: 'Last date (inclusive) or time.',
    }),
  ),
  notes: t.Optional(
    t.Boolean({
      description: 'Whether to include the internal notes about the contact. Defaults to `false`.',
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

/** Routes that download a conversation as a transcript. */
export const transcriptRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/conversations', tags: ['Conversations'] }).use(guard(http)).get(
    '/:id/transcript',
    ({ ctx, params, query: { format = 'html', from, to, notes = false }, request }) => {
      const file = openTranscript(ctx, params.id, { format, from, to, hasNotes: notes })
      return textFileResponse(request, {
        ...file,
        contentSecurity: format === 'html' ? CONTENT_SECURITY : undefined,
      })
    },
    {
      can: { permission: 'contacts:export', bulk: true },
      params: IdParam,
      query: TranscriptQuery,
      detail: {
        operationId: 'getConversationTranscript',
        summary: 'Get a transcript of a conversation',
        description:
          'Returns all messages in chronological order: as an HTML page to read, print or save ' +
          'as PDF, as CSV, or as JSON with each message as in the API. The response is streamed ' +
          "with the caller's current permissions and stops if they lose access. Phone numbers " +
          'are masked like everywhere else; the download is recorded in the audit log. Also ' +
          'requires `messages:read`.',
        responses: FILE,
      },
    },
  )
