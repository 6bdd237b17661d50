import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { changeImport, checkImport } from './draft'
import { FilePreview, ImportChange, ImportView } from '../model'
import { columnsWithExamples } from '../preview'

/** Routes for imports that have not begun. */
export const importDraftRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/imports', tags: ['Imports'] })
    .use(guard(http))
    .put('/:id', ({ ctx, params, body }) => ok(changeImport(ctx, params.id, body)), {
      can: 'contacts:import',
      refuses: ['400 unknown_tag', '409 wrong_state', '409 too_late'],
      params: IdParam,
      body: ImportChange,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'changeImport',
        summary: 'Change an import before it begins',
        description:
          'Says what the columns of the file are and what is done with its rows. Possible for a ' +
          'draft, and for a dry run that is over: it becomes a draft again. Fails with 409 ' +
          '`wrong_state`, or `too_late` once the rows of the file are deleted.',
      },
    })
    .get('/:id/columns', async ({ ctx, params }) => ok(await columnsWithExamples(ctx, params.id)), {
      can: 'contacts:import',
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(FilePreview) },
      detail: {
        operationId: 'listImportColumns',
        summary: 'List the columns of an import',
        description:
          'The headings of the file, what each was taken for, and five examples of its values. Fails ' +
          'with 409 `wrong_state` once the rows of the file are deleted.',
      },
    })
    .post('/:id/check', ({ ctx, params }) => ok(checkImport(ctx, params.id)), {
      can: { permission: 'contacts:import', bulk: true },
      refuses: ['400 missing_column', '400 duplicate_column', '409 wrong_state', '409 too_late'],
      params: IdParam,
      response: { 200: Ok(ImportView) },
      detail: {
        operationId: 'checkImport',
        summary: 'Check an import',
        description:
          'Starts the dry run of a draft. Fails with 400 `missing_column` or `duplicate_column`, and ' +
          'with 409 `wrong_state` or `too_late`.',
      },
    })
