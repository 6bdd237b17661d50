import { FileTooLargeError } from '../../../infra/files/store'
import { PlatformError } from '../../../platform/client/errors'

/** Why a download failed. */
export interface DownloadFailure {
  code: string
  message: string
  /** Retrying cannot help. */
  isFinal: boolean
  /** The cause is the phone number or the platform, so the next file would fail too. */
  isOfAccount: boolean
}

/** Returns a download failure. By default it concerns this file only and can be retried. */
export const failure = (
  code: string,
  message: string,
  kind: 'file' | 'account' | 'final' = 'file',
): DownloadFailure => ({
  code,
  message,
  isFinal: kind === 'final',
  isOfAccount: kind === 'account',
})

/** The bytes do not match the checksum of the platform. */
export class WrongChecksum extends Error {}

/** Returns the download failure for an error; `null` for an unexpected error. */
export function failureOf(error: unknown): DownloadFailure | null {
  if (error instanceof FileTooLargeError)
    return failure('media_too_large', 'The file is larger than 100 MB.', 'final')
  if (error instanceof WrongChecksum)
    return failure(
      'media_checksum',
      'The downloaded file does not match the checksum sent by the platform.',
    )
  if (!(error instanceof PlatformError)) return null
  if (error.details === 'too_large')
    return failure('media_too_large', 'The file is larger than 100 MB.', 'final')
  if (error.details === 'foreign_host' || error.details === 'redirected')
    return failure(
      'media_address_refused',
      'The platform named a download URL on a host that is not allowed.',
      'file',
    )
  if (error.retryClass === 'credential' || error.retryClass === 'account')
    return failure(
      'credential_rejected',
      'The platform did not accept the access token of the phone number.',
      'account',
    )
  if (
    error.platformCode !== null &&
    (error.retryClass === 'content' || error.retryClass === 'other')
  )
    return failure('media_unavailable', 'The platform does not know the file.', 'final')
  if (error.httpStatus === 404 || error.httpStatus === 410)
    return failure('media_link_expired', "The platform's download URL has expired.")
  return failure('platform_unreachable', 'The platform did not deliver the file.', 'account')
}
