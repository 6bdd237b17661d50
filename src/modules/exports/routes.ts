import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../http/envelope'
import { fileAnswer, fileResponses } from '../../http/file-response'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../http/pagination'
import { exportConfig } from './columns'
import { EXPORT_TABLES, ExportConfig, ExportView, NewExport } from './model'
import { fileOf, getExport, listExports } from './queries'
import { requestExport } from './create'

const TableParam = t.Object({ table: t.Union(EXPORT_TABLES.map((table) => t.Literal(table))) })

/** What files can hold, and asking for one. */
export const exportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/export', tags: ['Exports'] })
    .use(guard(http))
    .get('/:table/config', ({ ctx, params }) => ok(exportConfig(ctx, params.table)), {
      can: 'contacts:export',
      params: TableParam,
      response: { 200: Ok(ExportConfig) },
      detail: {
        operationId: 'getExportConfig',
        summary: 'What a file can hold',
        description:
          "The columns of contacts, with the organization's own fields, of tags or of messages.",
      },
    })
    .post('', ({ ctx, body, status }) => status(201, ok(requestExport(ctx, body))), {
      canBulk: 'contacts:export',
      body: NewExport,
      response: { 201: Ok(ExportView) },
      detail: {
        operationId: 'createExport',
        summary: 'Export to a file',
        description:
          'A job writes what the caller sees. CSV is UTF-8 with a mark, CRLF and quotation marks as in RFC 4180; a cell that begins with = + - @ (also full-width), tab, CR or NUL gets an apostrophe before it, phone numbers are digits. `jsonl` is an object in each line. 403 for messages without messages:read and tags without tags:read.',
      },
    })

/** Exports and their files. */
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
        description: 'Newest first; without contacts:read_all only your own.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getExport(ctx, params.id)), {
      can: 'contacts:export',
      params: IdParam,
      response: { 200: Ok(ExportView) },
      detail: { operationId: 'getExport', summary: 'One export' },
    })
    .get(
      '/:id/download',
      async ({ ctx, params, request }) => fileAnswer(request, await fileOf(ctx, params.id)),
      {
        can: 'contacts:export',
        refuses: ['404 export_expired', '409 export_pending', '409 export_failed'],
        params: IdParam,
        detail: {
          operationId: 'downloadExport',
          summary: 'Download the file of an export',
          description:
            'For seven days. Takes `Range` and `If-None-Match`. 409 `export_pending` while it is written, `export_failed`; 404 `export_expired`; 403 when it shows more than you may see now.',
          responses: fileResponses(['text/csv', 'application/x-ndjson']),
        },
      },
    )
