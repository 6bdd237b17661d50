import { Elysia, t } from 'elysia'

import { Ok, ok } from '../../../http/envelope'
import { fileResponse, fileResponses } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../http/pagination'
import { requestArchive } from './create'
import { ArchiveView, NewArchive } from './model'
import { fileOfArchive, getArchiveView, listArchives } from './queries'

const ArchiveParams = t.Object({
  id: t.String({ format: 'uuid' }),
  archive_id: t.String({ format: 'uuid' }),
})

/** Archives of organizations. */
export const archiveRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/organizations', tags: ['Organizations'] })
    .use(guard(http))
    .post(
      '/:id/archive',
      async ({ ctx, params, body, status }) =>
        status(202, ok(await requestArchive(ctx, params.id, body))),
      {
        can: { permission: 'organizations:export', people: 'only', bulk: true },
        refuses: ['403 fresh_login_required', '409 archive_pending', '409 organization_leaving'],
        params: IdParam,
        body: NewArchive,
        response: { 202: Ok(ArchiveView) },
        detail: {
          operationId: 'createOrganizationArchive',
          summary: 'Create an archive of an organization',
          description:
            'Writes all data of the organization as of one moment to one ZIP file, in the ' +
            'background. Another server can import it. Secrets are included only with a ' +
            'passphrase. One archive of an organization is written at a time. Requires a sign-in ' +
            'within the last five minutes.',
        },
      },
    )
    .get(
      '/:id/archives',
      ({ ctx, params, query: { page = 1, limit = 20 } }) =>
        ok(listArchives(ctx, params.id, { page, limit })),
      {
        can: { permission: 'organizations:export', people: 'only' },
        params: IdParam,
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(ArchiveView)) },
        detail: {
          operationId: 'listOrganizationArchives',
          summary: 'List archives of an organization',
          description:
            'Lists archives, newest first. Archives that a super admin made may have the password ' +
            'hashes of all members; only super admins see and download them.',
        },
      },
    )
    .get(
      '/:id/archives/:archive_id',
      ({ ctx, params }) => ok(getArchiveView(ctx, params.id, params.archive_id)),
      {
        can: { permission: 'organizations:export', people: 'only' },
        params: ArchiveParams,
        response: { 200: Ok(ArchiveView) },
        detail: {
          operationId: 'getOrganizationArchive',
          summary: 'Get an archive of an organization',
          description: 'Its progress, its contents, and until when it can be downloaded.',
        },
      },
    )
    .get(
      '/:id/archives/:archive_id/download',
      async ({ ctx, params, request }) =>
        fileResponse(request, await fileOfArchive(ctx, params.id, params.archive_id)),
      {
        can: { permission: 'organizations:export', people: 'only' },
        refuses: [
          '403 fresh_login_required',
          '404 archive_expired',
          '409 archive_failed',
          '409 archive_pending',
        ],
        params: ArchiveParams,
        detail: {
          operationId: 'downloadOrganizationArchive',
          summary: 'Download an archive of an organization',
          description:
            'Possible for seven days. Supports `Range` and `If-None-Match`. Requires a sign-in ' +
            'within the last five minutes.',
          responses: fileResponses(['application/zip']),
        },
      },
    )
