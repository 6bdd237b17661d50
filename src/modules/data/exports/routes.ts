import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { fileResponse, fileResponses } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { exportConfig } from './columns'
import { EXPORT_TABLES, ExportConfig, ExportView, NewExport } from './model'
import { fileOf, getExport, listExports } from './queries'
import { requestExport } from './create'

const TableParam = t.Object({ table: t.Union(EXPORT_TABLES.map((table) => t.Literal(table))) })

/** Routes for the export configuration and new exports. */
export const exportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/export', tags: ['Exports'] })
    .use(guard(http))
    .get('/:table/config', ({ ctx, params }) => ok(exportConfig(ctx, params.table)), {
      can: 'contacts:export',
      params: TableParam,
      response: { 200: Ok(ExportConfig) },
      detail: {
        operationId: 'getExportConfig',
        summary: 'List exportable columns',
        description:
          'Lists the columns of contacts, including custom fields, and of tags and messages.',
      },
    })
    .post('', ({ ctx, body, status }) => status(201, ok(requestExport(ctx, body))), {
      can: { permission: 'contacts:export', bulk: true },
      body: NewExport,
      response: { 201: Ok(ExportView) },
      detail: {
        operationId: 'createExport',
        summary: 'Create an export',
        description:
          'Writes a file with the rows that the caller can see, in the background. CSV files are ' +
          'UTF-8 with a byte order mark, CRLF line ends and quoting as in RFC 4180. A cell that ' +
          'begins with = + - @ (also full-width), tab, CR or NUL is prefixed with an apostrophe; ' +
          'phone numbers are digits. `jsonl` has one JSON object per line. Fails with 403 for ' +
          'messages without `messages:read` and for tags without `tags:read`.',
      },
    })

/** Routes for exports and their files. */
export const exportsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/exports', tags: ['Exports'] })
    .use(guard(http))
    .get('', ({ ctx, query: { page = 1, limit = 20 } }) => ok(listExports(ctx, { page, limit })), {
      can: 'contacts:export',
      query: t.Object(pageQuery()),
      response: { 200: Ok(PageOf(ExportView)) },
      detail: {
        operationId: 'listExports',
        summary: 'List exports',
        description: 'Lists exports, newest first. Without `contacts:read_all`, only your own.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getExport(ctx, params.id)), {
      can: 'contacts:export',
      params: IdParam,
      response: { 200: Ok(ExportView) },
      detail: {
        operationId: 'getExport',
        summary: 'Get an export',
        description: 'Its progress, and until when the file can be downloaded.',
      },
    })
    .get(
      '/:id/download',
      async ({ ctx, params, request }) => fileResponse(request, await fileOf(ctx, params.id)),
      {
        can: 'contacts:export',
        refuses: ['404 export_expired', '409 export_pending', '409 export_failed'],
        params: IdParam,
        detail: {
          operationId: 'downloadExport',
          summary: 'Download an export',
          description:
            'Possible for seven days. Supports `Range` and `If-None-Match`. Fails with 409 ' +
            '`export_pending` while the file is being written, 409 `export_failed`, 404 ' +
            '`export_expired`, and 403 if the file contains data that the caller is no longer ' +
            'allowed to see.',
          responses: fileResponses(['text/csv', 'application/x-ndjson']),
        },
      },
    )
