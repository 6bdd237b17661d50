import { Elysia, t } from 'elysia'

import { oneOf, patternText } from '../../../lib/fields'
import { csvResponse, wantsCsv } from '../../../http/csv-response'
import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery } from '../../../http/pagination'
import { okText } from '../../../http/read-answer'
import { auditLines } from './export'
import { AuditEntry, AuditFacets } from './model'
import { getAuditEntry } from './queries'
import { CountAuditEntries, ListAuditEntries } from './readers'

const id = t.Optional(t.String({ format: 'uuid' }))
const word = t.Optional(
  patternText('^[a-z_]{1,64}$', 'must be a word of lowercase letters and underscores'),
)
const time = (description: string) => t.Optional(t.String({ maxLength: 40, description }))

const filters = {
  resource_type: word,
  resource_id: id,
  user_id: id,
  api_key_id: id,
  action: word,
  from: time("Date in the organization's time zone (YYYY-MM-DD), or ISO 8601 time with offset."),
  to: time('Date or time in the same format, inclusive.'),
  search: t.Optional(
    t.String({
      maxLength: 255,
      description:
        'Part of the action, or of the name of the resource or user. Phone numbers are found ' +
        'by their last four digits.',
    }),
  ),
}
const format = t.Optional(
  oneOf(['json', 'csv'], {
    description:
      '`csv` returns all matching entries as a file, as `Accept: text/csv` does. That counts as ' +
      'a bulk operation.',
    default: 'json',
  }),
)

/** Routes for the audit log. */
export const auditRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/audit-logs', tags: ['Audit log'] })
    .use(guard(http))
    .get(
      '',
      async ({ ctx, request, query: { page = 1, limit = 20, cursor, ...filter } }) =>
        wantsCsv(request)
          ? (csvResponse(request, 'audit-log.csv', await auditLines(ctx, filter)) as never) // a file instead of the envelope
          : okText(await ctx.reads.text(ListAuditEntries, ctx, { page, limit, cursor, ...filter })),
      {
        can: { permission: 'audit_logs:read', bulk: 'csv' },
        query: t.Object({ ...longQuery(), ...filters, format }),
        response: { 200: Ok(LongPageOf(AuditEntry)) },
        detail: {
          operationId: 'listAuditLogs',
          summary: 'List audit log entries',
          description:
            'Lists entries, newest first. Every change by a user or an API key is recorded in the same transaction. Reading data and sending messages are not recorded. `total` is `null` above 10,000 entries. Entries cannot be changed. They are deleted after `AUDIT_RETENTION_DAYS`.',
        },
      },
    )
    .get(
      '/facets',
      async ({ ctx, query }) => okText(await ctx.reads.text(CountAuditEntries, ctx, query)),
      {
        can: 'audit_logs:read',
        query: t.Object(filters),
        response: { 200: Ok(AuditFacets) },
        detail: {
          operationId: 'getAuditLogFacets',
          summary: 'Count audit log entries',
          description:
            'Counts the matching entries by user, API key, action and kind of resource, up to 100 ' +
            'values each, most frequent first. A filter does not narrow its own list of values.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getAuditEntry(ctx, params.id)), {
      can: 'audit_logs:read',
      params: IdParam,
      response: { 200: Ok(AuditEntry) },
      detail: {
        operationId: 'getAuditLog',
        summary: 'Get an audit log entry',
        description:
          'With the fields that were changed, before and after. Secrets are never shown.',
      },
    })
