import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { csvResponse } from '../../../http/csv-response'
import { Ok, ok } from '../../../http/envelope'
import { fileResponses } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, LongPageOf, longQuery, PageOf, pageQuery } from '../../../http/pagination'
import { oneOf } from '../../../lib/fields'
import { FilePart } from '../../../http/multipart'
import { importConfig } from './columns'
import { startImport } from './create'
import {
  IMPORT_FIELDS,
  IMPORT_TABLES,
  FilePreview,
  ImportConfig,
  ImportRowView,
  ImportSample,
  ImportView,
  MAX_BYTES,
  OUTCOMES,
} from './model'
import { getImport, listImports, listRows, reportLines } from './queries'
import { cancelImport, commitImport, undoImport } from './commit'
import { failedRows, previewFile, sampleOf } from './preview'

const NewImport = Type.Object(
  {
    file: FilePart(
      'CSV or XLSX file (first sheet only) with a header row. Up to 50 MB and 200,000 rows.',
    ),
    ...IMPORT_FIELDS,
  },
  { title: 'ImportInput', examples: [{ table: 'contacts', dry_run: 'true' }] },
)

/** Errors of an invalid file, beside those of the input. */
const FILE_REFUSALS = [
  '400 empty_file',
  '400 bad_encoding',
  '400 malformed_csv',
  '400 malformed_xlsx',
  '400 bad_header',
  '400 duplicate_column',
  '400 missing_column',
  '400 unknown_tag',
  '400 too_many_columns',
  '400 row_too_long',
  '400 cell_too_long',
  '413 too_many_rows',
  '413 too_many_parts',
  '413 too_large_unpacked',
  '503 files_busy',
] as const

const RowsQuery = t.Object({
  ...longQuery(50),
  outcome: t.Optional(oneOf(OUTCOMES)),
  format: t.Optional(
    oneOf(['json', 'csv'], {
      description: '`csv` downloads all rows, or all rows with that outcome.',
    }),
  ),
})

const TableParam = t.Object({ table: t.Union(IMPORT_TABLES.map((table) => t.Literal(table))) })

/** Routes for the import configuration and new imports. */
export const importRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/import', tags: ['Imports'] })
    .use(guard(http))
    .get('/:table/config', ({ ctx, params }) => ok(importConfig(ctx, params.table)), {
      can: 'contacts:import',
      params: TableParam,
      response: { 200: Ok(ImportConfig) },
      detail: {
        operationId: 'getImportConfig',
        summary: 'List importable columns',
        description: 'Lists the columns of contacts, including custom fields, or of tags.',
      },
    })
    .post('', async ({ ctx, body, status }) => status(201, ok(await startImport(ctx, body))), {
      can: { permission: 'contacts:import', bulk: true, upload: { maxBytes: MAX_BYTES } },
      refuses: FILE_REFUSALS,
      body: NewImport,
      response: { 201: Ok(ImportView) },
      detail: {
        operationId: 'createImport',
        summary: 'Create an import',
        description:
          'Uploads a CSV file (UTF-8, or UTF-16 with byte order mark; comma, semicolon, tab or ' +
          'bar) or an XLSX file. The header row is validated immediately: fails with 400 ' +
          '`missing_column`, `duplicate_column`, `bad_header`, `bad_encoding`, `malformed_csv`, ' +
          '`malformed_xlsx` or `empty_file`. Limits are checked as well: fails with 400 for a row of more ' +
          'than 500 cells (`too_many_columns`) or 1 MiB (`row_too_long`) and a cell of more than ' +
          '32,767 characters (`cell_too_long`), with 413 over 50 MB or 200,000 rows including ' +
          'empty ones, and with 415 for other file types. The server reads one file per ' +
          'organization and two in total at a time; fails with 503 `files_busy` after two ' +
          'minutes. Rows are processed in the background, and invalid rows do not stop others. ' +
          'By default this is a dry run: review the report, then call `POST ' +
          '/api/imports/{id}/commit`.',
      },
    })
    .post(
      '/:table/preview',
      async ({ ctx, params, body }) => ok(await previewFile(ctx, { ...params, ...body })),
      {
        can: { permission: 'contacts:import', bulk: true, upload: { maxBytes: MAX_BYTES } },
        refuses: FILE_REFUSALS,
        params: TableParam,
        body: NewPreview,
        response: { 200: Ok(FilePreview) },
        detail: {
          operationId: 'previewImport',
          summary: 'Preview a file',
          description:
            'Reads the beginning of a file: its headings, the columns recognized by them, and examples ' +
            'of their values. Nothing is stored.',
        },
      },
    )

const NewPreview = Type.Object(
  { file: FilePart('CSV or XLSX file as for an import.') },
  { title: 'ImportPreviewInput', examples: [{}] },
)

const UNDONE =
  'Possible within seven days, in the background: deletes what the import created and ' +
  'restores what it changed. Records edited since are kept and listed in the report. ' +
  'Fails with 409 `wrong_state` or `too_late`.'

/** Routes for imports and their reports. */
export const importsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/imports', tags: ['Imports'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20, table } }) =>
        ok(listImports(ctx, { page, limit, table })),
      {
        can: 'contacts:import',
        query: t.Object({
          ...pageQuery(),
          table: t.Optional(oneOf(['contacts', 'tags', 'recipients'])),
        }),
        response: { 200: Ok(PageOf(ImportView)) },
        detail: {
          operationId: 'listImports',
          summary: 'List imports',
          description: 'Lists imports, newest first. Without `contacts:read_all`, only your own.',
        },
      },
    )
    .get('/:id', ({ ctx, params }) => ok(getImport(ctx, params.id)), {
      can: 'contacts:import',
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'getImport',
        summary: 'Get an import',
        description:
          'Returns the import with its counts so far. A failed import has an `error` with code ' +
          '`file_gone`, `permission_denied` or `internal_error`.',
      },
    })
    .get(
      '/:id/rows',
      ({ ctx, params, request, query: { page = 1, limit = 50, cursor, outcome, format } }) => {
        if (format !== 'csv') return ok(listRows(ctx, params.id, { page, limit, cursor, outcome }))
        const { filename, pieces } = reportLines(ctx, params.id, outcome)
        return csvResponse(request, filename, pieces) as never // a file instead of the envelope
      },
      {
        can: 'contacts:import',
        params: IdParam,
        query: RowsQuery,
        response: { 200: Ok(LongPageOf(ImportRowView)) },
        detail: {
          operationId: 'listImportRows',
          summary: 'Get an import report',
          description:
            'Lists the outcome of each row, in the order of the file. Kept for 30 days after the ' +
            'import ends.',
        },
      },
    )
    .get('/:id/sample', async ({ ctx, params }) => ok(await sampleOf(ctx, params.id)), {
      can: 'contacts:import',
      params: IdParam,
      response: { 200: Ok(ImportSample) },
      detail: {
        operationId: 'getImportSample',
        summary: 'Get the first rows of an import',
        description:
          'The first 20 rows as they are read, with what became of them. Empty once the rows of the ' +
          'file are deleted: when the import ends, for a dry run seven days later.',
      },
    })
    .get(
      '/:id/failed-rows',
      ({ ctx, params, request }) => {
        const { filename, pieces } = failedRows(ctx, params.id)
        return csvResponse(request, filename, pieces)
      },
      {
        can: 'contacts:import',
        refuses: ['409 wrong_state'],
        params: IdParam,
        detail: {
          operationId: 'downloadFailedRows',
          summary: 'Download the failed rows of a dry run',
          description:
            'A CSV file with the columns that were read and a column `problem`. It can be corrected and ' +
            'imported. Fails with 409 `wrong_state` once the rows of the file are deleted.',
          responses: fileResponses(['text/csv']),
        },
      },
    )
    .post('/:id/commit', ({ ctx, params }) => ok(commitImport(ctx, params.id)), {
      can: { permission: 'contacts:import', bulk: true },
      refuses: ['409 wrong_state', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'commitImport',
        summary: 'Commit a dry run',
        description: 'Possible within seven days. Fails with 409 `wrong_state` or `too_late`.',
      },
    })
    .post('/:id/cancel', async ({ ctx, params }) => ok(await cancelImport(ctx, params.id)), {
      can: { permission: 'contacts:import', bulk: true },
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'cancelImport',
        summary: 'Cancel an import',
        description:
          'Rows imported so far are kept and can be undone. Fails with 409 `wrong_state`.',
      },
    })
    .post('/:id/undo', ({ ctx, params }) => ok(undoImport(ctx, params.id)), {
      can: { permission: 'contacts:import', bulk: true },
      refuses: ['409 wrong_state', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: { operationId: 'undoImport', summary: 'Undo an import', description: UNDONE },
    })
