import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { csvAnswer } from '../../http/csv-response'
import { Ok, ok } from '../../http/envelope'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam, LongPageOf, longQuery, PageOf, pageQuery } from '../../http/pagination'
import { oneOf } from '../../lib/fields'
import { FilePart } from '../../http/multipart'
import { importConfig } from './columns'
import { startImport } from './create'
import {
  IMPORT_FIELDS,
  IMPORT_TABLES,
  ImportConfig,
  ImportRowView,
  ImportView,
  MAX_BYTES,
  OUTCOMES,
} from './model'
import { getImport, listImports, listRows, reportLines } from './queries'
import { cancelImport, commitImport, undoImport } from './commit'

const NewImport = Type.Object(
  {
    file: FilePart(
      'CSV or XLSX (its first sheet), to 50 MB and 200,000 rows; its first row is the headings.',
    ),
    ...IMPORT_FIELDS,
  },
  { title: 'NewImport', examples: [{ table: 'contacts', dry_run: 'true' }] },
)

/** What may be wrong with a file beside its input. */
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
    oneOf(['json', 'csv'], { description: '`csv` downloads all rows, or all of that outcome.' }),
  ),
})

const TableParam = t.Object({ table: t.Union(IMPORT_TABLES.map((table) => t.Literal(table))) })

/** What files may hold, and taking one in. */
export const importRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/import', tags: ['Imports'] })
    .use(guard(http))
    .get('/:table/config', ({ ctx, params }) => ok(importConfig(ctx, params.table)), {
      can: 'contacts:import',
      params: TableParam,
      response: { 200: Ok(ImportConfig) },
      detail: {
        operationId: 'getImportConfig',
        summary: 'What a file may hold',
        description: "The columns of contacts, with the organization's own fields, or of tags.",
      },
    })
    .post('', async ({ ctx, body, status }) => status(201, ok(await startImport(ctx, body))), {
      canUpload: { permission: 'contacts:import', maxBytes: MAX_BYTES, isBulk: true },
      refuses: FILE_REFUSALS,
      body: NewImport,
      response: { 201: Ok(ImportView) },
      detail: {
        operationId: 'createImport',
        summary: 'Import a file',
        description:
          'A form with a CSV file (UTF-8, or UTF-16 with a mark; commas, semicolons, tabs or bars) or an XLSX file. Its header is judged: 400 `missing_column`, `duplicate_column`, `bad_header`, `bad_encoding`, `malformed_csv`, `malformed_xlsx`, `empty_file`. It is read at once: 400 for a row of more than 500 cells (`too_many_columns`) or 1 MiB (`row_too_long`) and a cell of more than 32,767 characters (`cell_too_long`), 413 over 50 MB or 200,000 rows, empty ones included, 415 for any other file. One file of an organization is read at a time and two of all; 503 `files_busy` after two minutes. A job works the rows off; a bad one stops no other. Unless `dry_run` is false it is a trial: the report says what would happen, `POST /api/imports/{id}/commit` does it.',
      },
    })

const UNDONE =
  'Within seven days: what it made is deleted, what it changed gets its former values, by a job. What was changed since stays, and the report says so. 409 `wrong_state`, `too_late`.'

/** Imports and their reports. */
export const importsRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/imports', tags: ['Imports'] })
    .use(guard(http))
    .get('', ({ ctx, query: { page = 1, limit = 20 } }) => ok(listImports(ctx, { page, limit })), {
      can: 'contacts:import',
      query: t.Object(pageQuery()),
      response: { 200: Ok(PageOf(ImportView)) },
      detail: {
        operationId: 'listImports',
        summary: 'List imports',
        description: 'Newest first; without contacts:read_all only your own.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(getImport(ctx, params.id)), {
      can: 'contacts:import',
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'getImport',
        summary: 'One import',
        description:
          'With its counts so far. `error` of one that failed has a code: `file_gone`, `permission_denied`, `internal_error`.',
      },
    })
    .get(
      '/:id/rows',
      ({ ctx, params, request, query: { page = 1, limit = 50, cursor, outcome, format } }) => {
        if (format !== 'csv') return ok(listRows(ctx, params.id, { page, limit, cursor, outcome }))
        const { filename, pieces } = reportLines(ctx, params.id, outcome)
        return csvAnswer(request, filename, pieces) as never // a file instead of the envelope
      },
      {
        can: 'contacts:import',
        params: IdParam,
        query: RowsQuery,
        response: { 200: Ok(LongPageOf(ImportRowView)) },
        detail: {
          operationId: 'listImportRows',
          summary: 'The report of an import',
          description:
            'What became of each row, in the order of the file. Kept for thirty days after the end.',
        },
      },
    )
    .post('/:id/commit', ({ ctx, params }) => ok(commitImport(ctx, params.id)), {
      canBulk: 'contacts:import',
      refuses: ['409 wrong_state', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'commitImport',
        summary: 'Run a trial for real',
        description: 'Within seven days. 409 `wrong_state`, `too_late`.',
      },
    })
    .post('/:id/cancel', async ({ ctx, params }) => ok(await cancelImport(ctx, params.id)), {
      canBulk: 'contacts:import',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'cancelImport',
        summary: 'Call an import off',
        description: 'What it did until then stays, and can be undone. 409 `wrong_state`.',
      },
    })
    .post('/:id/undo', ({ ctx, params }) => ok(undoImport(ctx, params.id)), {
      canBulk: 'contacts:import',
      refuses: ['409 wrong_state', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: { operationId: 'undoImport', summary: 'Undo an import', description: UNDONE },
    })
