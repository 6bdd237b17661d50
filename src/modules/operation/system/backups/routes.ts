import { Elysia, t } from 'elysia'

import { isoTime } from '../../../../lib/clock'
import { numberedPage } from '../../../../lib/page'
import { contentDisposition } from '../../../../http/content-disposition'
import { Ok, ok, MessageAnswer } from '../../../../http/envelope'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam, PageOf, pageQuery } from '../../../../http/pagination'
import { streamed } from '../../../../http/stream-response'
import { BackupView, NewBackup } from './model'
import { getBackup, listBackups, shownBackup, usableFolder } from './store'
import { requestVerification } from './verify'
import { deleteBackup, downloadBackup, requestBackup } from './service'

/** Backups of the whole installation. */
export const backupRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/admin/backups', tags: ['System'] })
    .use(guard(http))
    .get(
      '',
      ({ ctx, query: { page = 1, limit = 20 } }) => {
        usableFolder(ctx)
        const all = listBackups(ctx)
        return ok(
          numberedPage(
            all.slice((page - 1) * limit, page * limit).map((one) => shownBackup(ctx, one)),
            all.length,
            {
              page,
              limit,
            },
          ),
        )
      },
      {
        can: 'super-admin',
        refuses: ['503 storage_unavailable'],
        query: t.Object(pageQuery()),
        response: { 200: Ok(PageOf(BackupView)) },
        detail: {
          operationId: 'listBackups',
          summary: 'List backups',
          description: 'Lists backups, newest first, including those created on the command line.',
        },
      },
    )
    .post('', async ({ ctx, body, status }) => status(201, ok(await requestBackup(ctx, body))), {
      can: 'super-admin',
      refuses: ['409 backup_running', '503 disk_full', '503 storage_unavailable'],
      body: NewBackup,
      response: { 201: Ok(BackupView) },
      detail: {
        operationId: 'createBackup',
        summary: 'Create a backup',
        description:
          'Copies the database at one point in time and all media files, in the background while ' +
          'the server keeps running.',
      },
    })
    .get('/:id', ({ ctx, params }) => ok(shownBackup(ctx, getBackup(ctx, params.id))), {
      can: 'super-admin',
      refuses: ['503 storage_unavailable'],
      params: IdParam,
      response: { 200: Ok(BackupView) },
      detail: {
        operationId: 'getBackup',
        summary: 'Get a backup',
        description: 'Its progress, its check, and what it contains.',
      },
    })
    .post(
      '/:id/verify',
      ({ ctx, params, status }) => status(202, ok(requestVerification(ctx, params.id))),
      {
        can: 'super-admin',
        refuses: ['409 backup_running', '409 backup_unfinished', '503 storage_unavailable'],
        params: IdParam,
        response: { 202: Ok(BackupView) },
        detail: {
          operationId: 'verifyBackup',
          summary: 'Verify a backup',
          description:
            'Reads the whole backup again, in the background: that no file is missing, and that every ' +
            'page, index and reference of the database is valid. If something is wrong, its state ' +
            'becomes `failed`.',
        },
      },
    )
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteBackup(ctx, params.id)
        return ok({ message: 'The backup is deleted.' })
      },
      {
        can: 'super-admin',
        refuses: ['409 backup_running', '503 storage_unavailable'],
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteBackup',
          summary: 'Delete a backup',
          description: 'Deletes its files. The server keeps its data.',
        },
      },
    )
    .get(
      '/:id/download',
      async ({ ctx, params, request }) => {
        const { stream, manifest } = await downloadBackup(ctx, params.id)
        const name = `switchboard-${isoTime(manifest.startedAtMs).slice(0, 16).replaceAll(/[-:]/g, '')}.zip`
        return new Response(streamed(request, stream[Symbol.asyncIterator]()), {
          headers: {
            'content-type': 'application/zip',
            'content-disposition': contentDisposition('attachment', name),
          },
        })
      },
      {
        can: 'super-admin',
        refuses: ['403 fresh_login_required', '409 backup_unfinished', '503 storage_unavailable'],
        params: IdParam,
        detail: {
          operationId: 'downloadBackup',
          summary: 'Download a backup',
          description:
            'Returns a ZIP file for `switchboard restore`. Contains everything except the secret ' +
            'key. Requires a sign-in within the last five minutes.',
          responses: {
            200: {
              description: 'The backup.',
              content: { 'application/zip': { schema: { type: 'string' as const } } },
            },
          },
        },
      },
    )
