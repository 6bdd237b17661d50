import { Type, type Static } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { FilePart } from '../../../http/multipart'
import { IdParam, pageQuery, PageOf } from '../../../http/pagination'
import { ARCHIVE_FAULTS } from './archive/fault'
import { OrganizationImportView } from './model'
import { getImport, listImports } from './queries'
import { cancelImport, commitImport, startImport } from './start'
import { organizationImportView } from './view'

const Flag = Type.Union([Type.Boolean(), Type.Literal('true'), Type.Literal('false')])

const NewOrganizationImport = Type.Object(
  {
    file: Type.Optional(FilePart('The archive. Instead of `path`.')),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        description:
          'Name of an archive in the folder `incoming` of the data directory. Instead of `file`, ' +
          'for archives above the upload limit.',
      }),
    ),
    passphrase: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_000,
        description: 'The passphrase of the archive. Required unless it has no secrets.',
      }),
    ),
    dry_run: Type.Optional({
      ...Flag,
      description: 'Whether to check the archive only. Defaults to `true`.',
    } as typeof Flag),
  },
  {
    title: 'OrganizationImportInput',
    examples: [{ path: 'acme.zip', passphrase: 'correct horse battery staple' }],
  },
)

const isDryRun = ({ dry_run: flag }: Static<typeof NewOrganizationImport>): boolean =>
  flag === undefined || flag === true || flag === 'true'

const CONFLICTS = ['400 number_in_use', '409 organization_exists', '409 import_running'] as const

/** Import of organizations from archives. */
export const organizationImportRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/admin/organizations', tags: ['System'] })
    .use(guard(http))
    .post(
      '/import',
      async ({ ctx, body, status }) =>
        status(202, ok(await startImport(ctx, { ...body, isDryRun: isDryRun(body) }))),
      {
        can: { permission: 'super-admin', bulk: true, upload: { takesJson: true } },
        refuses: ['403 fresh_login_required', ...ARCHIVE_FAULTS, ...CONFLICTS],
        body: NewOrganizationImport,
        response: { 202: Ok(OrganizationImportView) },
        detail: {
          operationId: 'importOrganization',
          summary: 'Import an organization',
          description:
            'Reads an archive of an organization, uploaded as `multipart/form-data` or named by ' +
            'its `path`, and compares it with this installation. Fails with 400 if a byte of it is ' +
            'not as it was written, or a row does not fit; `details` has the entry (`file`), the ' +
            '`line` and the `field`. By default this is a dry run: review `counts` and `conflicts`, then call `POST ' +
            '/api/admin/organizations/imports/{id}/commit` within 24 hours. The import runs in the ' +
            'background. Until it is complete, every request to the organization is answered with ' +
            '503 `organization_moving`; if it fails, all of it is undone. Campaigns arrive paused, ' +
            'and messages that were due are not sent. Large archives are checked in the background ' +
            'too (state `checking`). Requires a sign-in within the last five minutes.',
        },
      },
    )
    .get(
      '/imports',
      ({ ctx, query: { page = 1, limit = 20 } }) => ok(listImports(ctx, { page, limit })),
      {
        can: { permission: 'super-admin', why: 'imports belong to the installation' },
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(OrganizationImportView)) },
        detail: {
          operationId: 'listOrganizationImports',
          summary: 'List imports of organizations',
          description: 'Newest first.',
        },
      },
    )
    .get(
      '/imports/:id',
      ({ ctx, params }) => ok(organizationImportView(getImport(ctx, params.id))),
      {
        can: { permission: 'super-admin', why: 'imports belong to the installation' },
        params: IdParam,
        response: { 200: Ok(OrganizationImportView) },
        detail: {
          operationId: 'getOrganizationImport',
          summary: 'Get an import of an organization',
          description:
            'Returns its state, and how many rows are stored so far. `error` says why it failed: a ' +
            'fault of the archive, or `import_interrupted` if the server stopped 5 times in a row while ' +
            'it read the archive, before it stored anything.',
        },
      },
    )
    .post('/imports/:id/commit', ({ ctx, params }) => ok(commitImport(ctx, params.id)), {
      can: { permission: 'super-admin', why: 'imports belong to the installation' },
      refuses: ['403 fresh_login_required', '409 wrong_state', '409 too_late', ...CONFLICTS],
      params: IdParam,
      response: { 200: Ok(OrganizationImportView) },
      detail: {
        operationId: 'commitOrganizationImport',
        summary: 'Commit a dry run',
        description:
          'Imports the organization of a dry run. Possible within 24 hours. Requires a sign-in ' +
          'within the last five minutes.',
      },
    })
    .post('/imports/:id/cancel', ({ ctx, params }) => ok(cancelImport(ctx, params.id)), {
      can: { permission: 'super-admin', why: 'imports belong to the installation' },
      refuses: ['409 wrong_state'],
      params: IdParam,
      response: { 200: Ok(OrganizationImportView) },
      detail: {
        operationId: 'cancelOrganizationImport',
        summary: 'Cancel an import of an organization',
        description: 'Undoes everything that is stored so far.',
      },
    })
