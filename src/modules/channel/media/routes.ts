import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../../http/envelope'
import { fileResponse, fileResponses, MESSAGE_FILE_TYPES } from '../../../http/file-response'
import { guard } from '../../../http/guard'
import type { Http } from '../../../http/http-deps'
import { IdParam } from '../../../http/pagination'
import { FilePart } from '../../../http/multipart'
import { contentOf } from './content'
import { retryDownload } from './receive'
import { createLink, LINK_PATH, openLink } from './signed-links'
import { LinkView, MediaInfo, MediaView, NewLink, UPLOAD_FIELDS } from './model'
import { getVisibleMedia } from './queries'
import { createUpload, deleteMedia } from './upload'
import { thumbnailOf } from './thumbnail'
import { mediaInfo } from './view'

const NewMedia = Type.Object(
  { file: FilePart('The file.'), ...UPLOAD_FIELDS },
  { title: 'MediaInput', examples: [{ kind: 'document', filename: 'offer.pdf' }] },
)

const Download = t.Object({
  download: t.Optional(
    t.Union([t.Literal('1'), t.Literal('0')], {
      description: 'Set to `1` to download the file as an attachment.',
    }),
  ),
})

const BYTES = fileResponses(MESSAGE_FILE_TYPES)

/** Routes to upload and delete files. */
export const uploadRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/media', tags: ['Media'] })
    .use(guard(http))
    .post('', async ({ ctx, body, status }) => status(201, ok(await createUpload(ctx, body))), {
      can: { permission: 'messages:create', upload: true },
      refuses: ['400 content_mismatch'],
      body: NewMedia,
      response: { 201: Ok(MediaView) },
      detail: {
        operationId: 'uploadMedia',
        summary: 'Upload media',
        description:
          'Uploads a file as `multipart/form-data`. The type is detected from the content. ' +
          'Limits: JPEG and PNG 5 MB; MP4, 3GP, AAC, AMR, MP3, M4A and Ogg Opus 16 MB; WebP ' +
          'stickers 100 KB (animated 500 KB); documents 100 MB. Files that are not used within a ' +
          'day are deleted.',
      },
    })
    .delete(
      '/:id',
      ({ ctx, params }) => {
        deleteMedia(ctx, params.id)
        return ok({ message: 'The file is deleted.' })
      },
      {
        can: 'messages:create',
        params: IdParam,
        response: { 200: Ok(MessageAnswer) },
        detail: {
          operationId: 'deleteMedia',
          summary: 'Delete media',
          description:
            'Deletes your own unused upload. Deleting any other file requires `contacts:delete`; ' +
            'its message then shows the file as `expired`.',
        },
      },
    )

/** Routes to read media files. */
export const mediaRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/media', tags: ['Media'] })
    .use(guard(http))
    .get(
      '/:id',
      async ({ ctx, params, query, request }) =>
        fileResponse(
          request,
          await contentOf(ctx, getVisibleMedia(ctx, params.id), query.download === '1'),
        ),
      {
        can: 'messages:read',
        refuses: ['404 media_failed', '404 media_expired', '409 media_pending'],
        params: IdParam,
        query: Download,
        detail: {
          operationId: 'downloadMedia',
          summary: 'Download media',
          description:
            'Accepts the ID of a file or of its message. Supports `Range` (single) and ' +
            '`If-None-Match`. Fails with 409 `media_pending` while the file is being downloaded ' +
            'from the platform and 404 `media_expired` after it was deleted.',
          responses: BYTES,
        },
      },
    )
    .get(
      '/:id/thumbnail',
      async ({ ctx, params, request }) =>
        fileResponse(request, await thumbnailOf(ctx, getVisibleMedia(ctx, params.id))),
      {
        can: 'messages:read',
        refuses: [
          '404 media_failed',
          '404 media_expired',
          '404 no_thumbnail',
          '409 media_pending',
          '503 unavailable',
        ],
        params: IdParam,
        detail: {
          operationId: 'downloadMediaThumbnail',
          summary: 'Download a thumbnail',
          description:
            'A WebP image of at most 320 pixels and 20 KiB, of images up to 40 megapixels and ' +
            '16 MB. Accepts the ID of a file or of its message.',
          responses: fileResponses(['image/webp']),
        },
      },
    )
    .get('/:id/info', ({ ctx, params }) => ok(mediaInfo(getVisibleMedia(ctx, params.id))), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(MediaInfo) },
      detail: {
        operationId: 'getMediaInfo',
        summary: 'Get media information',
        description:
          'Accepts the ID of a file or of its message. For failed downloads, `last_error` has ' +
          'the error code of the platform, `media_unavailable` or `internal_error`.',
      },
    })
    .post('/:id/link', ({ ctx, params, body }) => ok(createLink(ctx, params.id, body.ttl)), {
      can: 'messages:read',
      params: IdParam,
      body: NewLink,
      response: { 200: Ok(LinkView) },
      detail: {
        operationId: 'createMediaLink',
        summary: 'Create a media link',
        description:
          'Returns a signed URL for `<img>` and `<video>` that needs no credentials. Valid for ' +
          '`ttl` seconds, or until the session or API key that created it ends.',
      },
    })
    .post('/:id/retry', ({ ctx, params }) => ok(retryDownload(ctx, params.id)), {
      can: 'messages:create',
      refuses: ['409 media_expired', '409 not_failed'],
      params: IdParam,
      response: { 200: Ok(MediaInfo) },
      detail: {
        operationId: 'retryMediaDownload',
        summary: 'Retry a failed download',
        description: 'Possible for seven days, while the platform stores the file.',
      },
    })

/** Route to download a file by signed link. */
export const mediaLinkRoutes = (http: Http) =>
  new Elysia({ prefix: LINK_PATH, tags: ['Media'] })
    .use(guard(http))
    .get(
      '/:token',
      async ({ deps, params, query, request }) =>
        fileResponse(
          request,
          await contentOf(deps, openLink(deps, params.token), query.download === '1'),
        ),
      {
        anyone: 'authenticates with the encrypted, short-lived link, bound to a session or API key',
        refuses: [
          '401 invalid_link',
          '404 not_found',
          '404 media_failed',
          '404 media_expired',
          '409 media_pending',
        ],
        params: t.Object({ token: t.String({ maxLength: 2_000 }) }),
        query: Download,
        detail: {
          operationId: 'downloadSignedMedia',
          summary: 'Download media with a link',
          description:
            'For links created for `<img>` and `<video>` tags. Supports `Range` and ' +
            '`If-None-Match`.',
          responses: {
            ...BYTES,
            431: {
              description: 'The URL and the headers are longer than 16 KiB. Has no body.',
            },
          },
        },
      },
    )
