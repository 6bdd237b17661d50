import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'

import { Ok, ok } from '../../../../http/envelope'
import { fileResponses } from '../../../../http/file-response'
import { requestFacts } from '../../../../http/request-facts'
import { guard } from '../../../../http/guard'
import type { Http } from '../../../../http/http-deps'
import { IdParam } from '../../../../http/pagination'
import { FilePart } from '../../../../http/multipart'
import { PLATFORM_ERRORS } from '../platform-errors'
import { readPhoto } from './photo'
import { ProfileChanges, ProfileView } from './model'
import { changePicture, changeProfile, readProfile } from './service'

const MAX_PICTURE_BYTES = 5 * 1024 * 1024

const NewPicture = Type.Object(
  { file: FilePart('JPEG or PNG photo, up to 5 MB.') },
  { title: 'PictureInput', examples: [{}] },
)

/** A photo is shown and does nothing else. Another one gets another address in the profile. */
const PHOTO_HEADERS = {
  'cache-control': 'private, no-cache',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

/** Routes for the business profile of a number. */
export const profileRoutes = (http: Http) =>
  new Elysia({ prefix: '/api/accounts', tags: ['Accounts'] })
    .use(guard(http))
    .get(
      '/:id/business_profile',
      async ({ ctx, params }) => ok(await readProfile(ctx, params.id)),
      {
        can: 'accounts:read',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        response: { 200: Ok(ProfileView) },
        detail: {
          operationId: 'getBusinessProfile',
          summary: 'Get the business profile',
          description: 'Fetched from the platform.',
        },
      },
    )
    .put(
      '/:id/business_profile',
      async ({ ctx, params, body }) => ok(await changeProfile(ctx, params.id, body)),
      {
        can: 'accounts:update',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        body: ProfileChanges,
        response: { 200: Ok(ProfileView) },
        detail: {
          operationId: 'updateBusinessProfile',
          summary: 'Update the business profile',
          description: 'Only the fields you send change. `null` clears a field.',
        },
      },
    )
    .get(
      '/:id/business_profile/photo',
      async ({ ctx, params, request }) => {
        const { bytes, mimeType } = await readPhoto(ctx, params.id)
        requestFacts(request).sent = () => bytes.length
        return new Response(bytes, { headers: { ...PHOTO_HEADERS, 'content-type': mimeType } })
      },
      {
        can: 'accounts:read',
        refuses: PLATFORM_ERRORS,
        params: IdParam,
        detail: {
          operationId: 'downloadBusinessProfilePhoto',
          summary: 'Download the profile photo',
          description: 'Fetched from the platform. Fails with 404 if the number has none.',
          responses: { 200: fileResponses(['image/*'])[200] },
        },
      },
    )
    .post(
      '/:id/business_profile/photo',
      async ({ ctx, params, body }) => ok(await changePicture(ctx, params.id, body.file)),
      {
        can: { permission: 'accounts:update', upload: { maxBytes: MAX_PICTURE_BYTES } },
        refuses: ['400 app_unknown', ...PLATFORM_ERRORS],
        params: IdParam,
        body: NewPicture,
        response: { 200: Ok(ProfileView) },
        detail: {
          operationId: 'uploadBusinessProfilePhoto',
          summary: 'Update the profile photo',
          description:
            'Accepts `multipart/form-data` with a JPEG or PNG photo of up to 5 MB. The type is ' +
            'detected from the content.',
        },
      },
    )
