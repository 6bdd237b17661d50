import { failureWithoutDetails } from './response'
import { flagOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { OutgoingFile } from './upload'

/** A request to any object of the Graph API. */
export interface GraphCall {
  /** ID of the object, or the name of an endpoint that is not an object. */
  object: string
  /** Path after the object, with query string. */
  path?: string
  /** `null` on hosts whose paths have no version. */
  apiVersion: string | null
  /** `null` if the query string carries the credential. */
  accessToken: string | null
  /** Secrets besides the token that are redacted from the platform's response. */
  secrets?: readonly string[]
  payload?: object | undefined
  /** Defaults to GET without a body and POST with one. */
  method?: 'GET' | 'POST' | 'DELETE' | undefined
  signal?: AbortSignal | undefined
}

/** Calls the Graph API and returns the parsed response. Throws PlatformError. */
export type CallGraph = (call: GraphCall) => Promise<JsonObject>

/** Uploads a file to an upload session. Throws PlatformError. */
export type UploadToSession = (call: {
  object: string
  apiVersion: string
  accessToken: string
  file: OutgoingFile
  signal?: AbortSignal | undefined
}) => Promise<JsonObject>

/** Credential and API version of an administration call. */
export interface ApiAccess {
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** A call about a phone number. */
export interface NumberAccess extends ApiAccess {
  phoneId: string
}

/** A call about a business account. */
export interface BusinessAccess extends ApiAccess {
  businessId: string
}

const UPLOAD_SESSION = /^upload:[\w+/=:-]{1,1000}(\?sig=[\w%=-]{1,500})?$/

/** Reports whether the name is a fixed endpoint of the platform or an upload session. */
export const isEndpoint = (object: string): boolean =>
  object === 'debug_token' || object === 'oauth/access_token' || UPLOAD_SESSION.test(object)

/** Returns a query string with its question mark. */
export const query = (parameters: Record<string, string>): string =>
  `?${new URLSearchParams(parameters).toString()}`

/** Addresses a call to a phone number. */
export const ofNumber = ({ phoneId, apiVersion, accessToken, signal }: NumberAccess) => ({
  object: phoneId,
  apiVersion,
  accessToken,
  signal,
})

/** Addresses a call to a business account. */
export const ofBusiness = ({ businessId, apiVersion, accessToken, signal }: BusinessAccess) => ({
  object: businessId,
  apiVersion,
  accessToken,
  signal,
})

/** Throws unless the response says `success: true`. */
export function requireSuccess(response: JsonObject): void {
  if (!flagOf(response.success)) throw unexpectedResponse('no_success')
}

/** Returns the error for a successful response without the expected data. */
export const unexpectedResponse = (cause: string) => failureWithoutDetails('ambiguous', 200, cause)
