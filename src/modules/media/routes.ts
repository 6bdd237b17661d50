import { Type } from '@sinclair/typebox'
import { Elysia, t } from 'elysia'

import { Ok, ok, MessageAnswer } from '../../http/envelope'
import { fileAnswer, fileResponses, MESSAGE_FILE_TYPES } from '../../http/file-response'
import { guard } from '../../http/guard'
import type { Http } from '../../http/http-deps'
import { IdParam } from '../../http/pagination'
import { FilePart } from '../../http/multipart'
import { contentOf } from './content'
import { retryDownload } from './receive'
import { createLink, LINK_PATH, mediaOfLink } from './signed-links'
import { LinkView, MediaInfo, MediaView, NewLink, UPLOAD_FIELDS } from './model'
import { getVisibleMedia } from './queries'
import { createUpload, deleteMedia } from './upload'
import { mediaInfo } from './view'

const NewMedia = Type.Object(
  { file: FilePart('The file.'), ...UPLOAD_FIELDS },
  { title: 'NewMedia', examples: [{ kind: 'document', filename: 'offer.pdf' }] },
)

const Download = t.Object({
  download: t.Optional(
    t.Union([t.Literal('1'), t.Literal('0')], {
      description: '`1`: to be saved, whatever its type.',
    }),
  ),
})

const BYTES = fileResponses(MESSAGE_FILE_TYPES)

/** Files that are handed in to be sent, and taken away again. */
export const uploadRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/media', tags: ['Media'] })
    .use(guard(http))
    .post('', async ({ ctx, body, status }) => status(201, ok(await createUpload(ctx, body))), {
      canUpload: { permission: 'messages:create' },
      refuses: ['400 content_mismatch'],
      body: NewMedia,
      response: { 201: Ok(MediaView) },
      detail: {
        operationId: 'uploadMedia',
        summary: 'Hand in a file',
        description:
          'A form with the file, which is streamed. Its content decides its type: jpeg and png to 5 MB, mp4 and 3gp to 16 MB, aac, amr, mp3, m4a and ogg with opus to 16 MB, webp stickers to 100 KB (moving ones to 500 KB), any other file to 100 MB as a document. One that nobody sends is removed after a day.',
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
          summary: 'Take a file away',
          description:
            'Your own upload that was not sent; any other file needs contacts:delete, its message then shows it as `expired`.',
        },
      },
    )

/** Files of messages, for those who see the messages. */
export const mediaRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/media', tags: ['Media'] })
    .use(guard(http))
    .get(
      '/:id',
      async ({ ctx, params, query, request }) =>
        fileAnswer(
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
          summary: 'The bytes of a file',
          description:
            'By the id of the file or of its message. Takes `Range` (one range) and `If-None-Match`. 409 `media_pending` while it is fetched from the platform, 404 `media_expired` when it is no longer kept.',
          responses: BYTES,
        },
      },
    )
    .get('/:id/info', ({ ctx, params }) => ok(mediaInfo(getVisibleMedia(ctx, params.id))), {
      can: 'messages:read',
      params: IdParam,
      response: { 200: Ok(MediaInfo) },
      detail: {
        operationId: 'getMediaInfo',
        summary: 'What is known of a file',
        description:
          'By the id of the file or of its message. `last_error` of one that could not be fetched has the code of the platform, `media_unavailable` or `internal_error`.',
      },
    })
    .post('/:id/link', ({ ctx, params, body }) => ok(createLink(ctx, params.id, body?.ttl)), {
      can: 'messages:read',
      params: IdParam,
      body: Type.Union([NewLink, Type.Null()]),
      response: { 200: Ok(LinkView) },
      detail: {
        operationId: 'createMediaLink',
        summary: 'A link for img and video tags',
        description:
          'Works without a credential for `ttl` seconds, at most until the session or key it was made with ends.',
      },
    })
    .post('/:id/retry', ({ ctx, params }) => ok(retryDownload(ctx, params.id)), {
      can: 'messages:create',
      refuses: ['409 media_expired', '409 not_failed'],
      params: IdParam,
      response: { 200: Ok(MediaInfo) },
      detail: {
        operationId: 'retryMediaDownload',
        summary: 'Fetch a file once more',
        description: 'One that failed, as long as the platform keeps it: seven days.',
      },
    })

/** Files behind links, for whoever holds the link. */
export const mediaLinkRoutes = (http: Http) =>
  new Elysia({ prefix: LINK_PATH, tags: ['Media'] })
    .use(guard(http))
    .get(
      '/:token',
      async ({ deps, params, query, request }) =>
        fileAnswer(
          request,
          await contentOf(deps, mediaOfLink(deps, params.token), query.download === '1'),
        ),
      {
        anyone: 'the link itself is the proof: sealed, short-lived, bound to a session',
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
          summary: 'The bytes behind a link',
          description:
            'Of a link made for img and video tags. Takes `Range` and `If-None-Match` as well.',
          responses: {
            ...BYTES,
            431: {
              description: 'The address and the headers are longer than 16 KiB. Has no body.',
            },
          },
        },
      },
    )
