import { InvalidError, UnsupportedMediaTypeError } from '../../../../lib/errors'
import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import type { ProfileFacts } from '../../../../platform/client/administration'
import { PlatformError } from '../../../../platform/client/errors'
import { differences, recordAudit } from '../../../organization/audit/record'
import { numberCallOf } from '../platform-calls'
import { callPlatform } from '../platform-errors'
import { getAccount } from '../queries'
import type { AccountRow } from '../view'
import type { ProfileChanges, ProfileView } from './model'

const MESSAGES = {
  read: { rejected: 'The platform rejected the request for the business profile of this number.' },
  write: { rejected: 'The platform rejected this business profile.' },
  picture: { rejected: 'The platform rejected this photo.' },
}

/**
 * Returns the business profile of a number from the platform. Throws NotFoundError, InvalidError
 * and UnavailableError.
 */
export async function readProfile(ctx: Ctx, id: string): Promise<ProfileView> {
  return await profileOf(ctx, getAccount(ctx, id))
}

const profileOf = async (ctx: Ctx, row: AccountRow): Promise<ProfileView> =>
  profileView(await callPlatform(ctx.platform.getProfile(numberCallOf(ctx, row)), MESSAGES.read))

const profileView = ({ pictureUrl, ...facts }: ProfileFacts): ProfileView => ({
  ...facts,
  profile_picture_url: pictureUrl,
})

/**
 * Updates the given fields of a business profile at the platform. Throws the errors of readProfile,
 * and InvalidError `platform_rejected` if the platform rejects the change.
 */
export async function changeProfile(
  ctx: Ctx,
  id: string,
  changes: ProfileChanges,
): Promise<ProfileView> {
  const row = getAccount(ctx, id)
  const before = await profileOf(ctx, row)
  const { websites, address, description, email, ...rest } = changes
  const fields = {
    ...rest,
    ...(address === undefined ? {} : { address: address ?? '' }),
    ...(description === undefined ? {} : { description: description ?? '' }),
    ...(email === undefined ? {} : { email: email ?? '' }),
    ...(websites === undefined ? {} : { websites: websites ?? [] }),
  }
  await callPlatform(ctx.platform.setProfile({ ...numberCallOf(ctx, row), fields }), MESSAGES.write)
  return await recordChange(ctx, row, before)
}

/**
 * Reads the profile after a change, records the change in the audit log and returns the profile.
 */
async function recordChange(ctx: Ctx, row: AccountRow, before: ProfileView): Promise<ProfileView> {
  const after = await profileOf(ctx, row)
  transact(ctx.db, (tx) => {
    recordAudit(tx, ctx, {
      action: 'profile_updated',
      resourceType: 'account',
      resourceId: row.id,
      resourceName: row.name,
      changes: differences(before, after),
    })
  })
  return after
}

const PICTURES = new Set(['image/jpeg', 'image/png'])

/**
 * Replaces the profile photo of a number, using the platform's resumable upload. Throws
 * NotFoundError, InvalidError (`app_unknown`, `platform_rejected`), UnsupportedMediaTypeError and
 * UnavailableError.
 */
export async function changePicture(ctx: Ctx, id: string, file: StagedFile): Promise<ProfileView> {
  const row = getAccount(ctx, id)
  const bytes = Bun.file(file.path)
  if (file.facts.sizeBytes === 0)
    throw new InvalidError('The file is empty.', {
      errors: [{ path: 'body.file', message: 'is empty' }],
    })
  const { fileTypeFromBlob } = await import('file-type')
  const mimeType = (await fileTypeFromBlob(bytes))?.mime ?? ''
  if (!PICTURES.has(mimeType))
    throw new UnsupportedMediaTypeError('a photo of type image/jpeg or image/png')
  const call = numberCallOf(ctx, row)
  const appId = await appIdOf(ctx, row)
  const before = await profileOf(ctx, row)
  const picture = {
    filename: `picture.${mimeType === 'image/png' ? 'png' : 'jpg'}`,
    mimeType,
    sizeBytes: file.facts.sizeBytes,
    stream: () => bytes.stream(),
  }
  const { apiVersion, accessToken } = call
  const handle = await callPlatform(
    ctx.platform.uploadToApp({ apiVersion, accessToken, appId, file: picture }),
    MESSAGES.picture,
  )
  await callPlatform(
    ctx.platform.setProfile({ ...call, fields: { profile_picture_handle: handle } }),
    MESSAGES.picture,
  )
  return await recordChange(ctx, row, before)
}

/**
 * Returns the app ID for file uploads of a number: its own, otherwise that of its token, otherwise
 * the installation's. Throws InvalidError `app_unknown`.
 */
export async function appIdOf(ctx: Ctx, row: AccountRow): Promise<string> {
  if (row.appId !== null) return row.appId
  const { apiVersion, accessToken } = numberCallOf(ctx, row)
  const tokenAppId = await ctx.platform.inspectToken({ apiVersion, accessToken, app: null }).then(
    (token) => token.appId,
    (error: unknown) => {
      if (error instanceof PlatformError) return null
      throw error
    },
  )
  const appId = tokenAppId ?? ctx.settings.appId
  if (appId !== null) return appId
  throw new InvalidError(
    '`app_id` of this account is required to upload a photo. Set it with `PUT ' +
      '/api/accounts/{id}` first.',
    { code: 'app_unknown' },
  )
}
