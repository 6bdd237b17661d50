import { failureWithoutAnswer } from './response'
import { flagOf, isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { OutgoingFile } from './media'
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberFacts } from './phone-number'

/** A request to any object of the Graph API. */
export interface GraphCall {
  /** ID of the object, or the name of an endpoint that is not an object. */
  object: string
  /** Path after the object, with query string. */
  path?: string
  apiVersion: string
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
export type AskGraph = (call: GraphCall) => Promise<JsonObject>

/** Uploads a file to an upload session. Throws PlatformError. */
export type SendBytes = (call: {
  object: string
  apiVersion: string
  accessToken: string
  file: OutgoingFile
  signal?: AbortSignal | undefined
}) => Promise<JsonObject>

/** Credential and API version of an administration call. */
interface Right {
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** A call about a phone number. */
export interface NumberRight extends Right {
  phoneId: string
}

/** A call about a business account. */
export interface BusinessRight extends Right {
  businessId: string
}

/** A platform app. It may inspect tokens issued for it. */
export interface AppCredentials {
  id: string
  secret: string
}

/** Facts about an access token. */
export interface TokenFacts {
  isValid: boolean
  appId: string | null
  /** Epoch milliseconds; `null` if the token does not expire. */
  expiresAtMs: number | null
  scopes: string[]
  /** Business accounts the token was explicitly granted for. */
  businessIds: string[]
}

/** The public business profile, with the platform's field values. */
export interface ProfileFacts {
  about: string | null
  address: string | null
  description: string | null
  email: string | null
  websites: string[]
  vertical: string | null
  pictureUrl: string | null
}

/** The public key stored at the platform for a phone number. */
export interface FlowKeyFacts {
  publicKey: string
  /** VALID, MISMATCH */
  status: string | null
}

/** Graph API calls about phone numbers and business accounts. Each throws PlatformError. */
export interface Administration {
  /**
   * Returns scopes and expiry of a token. Authenticated by the app it was issued for, or by the
   * token itself.
   */
  inspectToken(call: Right & { app: AppCredentials | null }): Promise<TokenFacts>
  /** Exchanges an embedded signup code for a token. A code works once, within 30 seconds. */
  exchangeCode(call: { apiVersion: string; app: AppCredentials; code: string }): Promise<string>
  /** Returns all phone numbers of a business account. */
  listPhoneNumbers(call: BusinessRight): Promise<PhoneNumberFacts[]>
  /**
   * Returns the business portfolio of a business account, or `null` if the platform does not report
   * it.
   */
  getPortfolioId(call: BusinessRight): Promise<string | null>
  /** Returns the IDs of the apps that receive the webhooks of a business account. */
  listSubscribedApps(call: BusinessRight): Promise<string[]>
  /** Subscribes the token's app to the webhooks of a business account. Idempotent. */
  subscribeApp(call: BusinessRight): Promise<void>
  /** Unsubscribes the token's app from the webhooks of a business account. */
  unsubscribeApp(call: BusinessRight): Promise<void>
  /**
   * Sets a separate webhook URL for one number; the platform verifies it first. `null` restores the
   * app's URL.
   */
  setCallback(
    call: NumberRight & { callback: { url: string; verifyToken: string } | null },
  ): Promise<void>
  /** Registers a number for sending, with its two-step verification PIN. */
  registerNumber(call: NumberRight & { pin: string }): Promise<void>
  /** Returns the business profile of a number. */
  getProfile(call: NumberRight): Promise<ProfileFacts>
  /** Updates fields of the business profile. */
  setProfile(call: NumberRight & { fields: JsonObject }): Promise<void>
  /** Uploads a file to an app with the resumable upload API. Returns its handle. */
  uploadToApp(call: Right & { appId: string; file: OutgoingFile }): Promise<string>
  /** Returns the public key of a number, or `null` if it has none. */
  getFlowKey(call: NumberRight): Promise<FlowKeyFacts | null>
  /** Replaces the public key of a number. */
  setFlowKey(call: NumberRight & { publicKey: string }): Promise<void>
}

const UPLOAD_SESSION = /^upload:[\w+/=:-]{1,1000}(\?sig=[\w%=-]{1,500})?$/

/** Reports whether the name is a fixed endpoint of the platform or an upload session. */
export const isEndpoint = (object: string): boolean =>
  object === 'debug_token' || object === 'oauth/access_token' || UPLOAD_SESSION.test(object)

const PROFILE_FIELDS = 'about,address,description,email,profile_picture_url,websites,vertical'

/** A business account has few numbers. The limit stops a broken cursor from looping. */
const MAX_PAGES = 20

const query = (parameters: Record<string, string>): string =>
  `?${new URLSearchParams(parameters).toString()}`

const ofNumber = ({ phoneId, apiVersion, accessToken, signal }: NumberRight) => ({
  object: phoneId,
  apiVersion,
  accessToken,
  signal,
})

const ofBusiness = ({ businessId, apiVersion, accessToken, signal }: BusinessRight) => ({
  object: businessId,
  apiVersion,
  accessToken,
  signal,
})

/** Throws unless the response says `success: true`. */
function requireSuccess(answer: JsonObject): void {
  if (!flagOf(answer.success)) throw unreadable('no_success')
}

const unreadable = (cause: string) => failureWithoutAnswer('ambiguous', 200, cause)

/** Builds the administration calls. `ask` sends JSON requests, `sendBytes` uploads files. */
export function administrationOf(ask: AskGraph, sendBytes: SendBytes): Administration {
  return {
    async inspectToken({ app, accessToken, ...call }) {
      const right = app === null ? accessToken : `${app.id}|${app.secret}`
      const answer = await ask({
        ...call,
        object: 'debug_token',
        path: query({ input_token: accessToken, access_token: right }),
        accessToken: null,
        secrets: [accessToken, right, app?.secret ?? ''],
      })
      return readToken(objectOf(answer.data))
    },
    async exchangeCode({ apiVersion, app, code }) {
      const path = query({ client_id: app.id, client_secret: app.secret, code })
      const answer = await ask({
        object: 'oauth/access_token',
        path,
        apiVersion,
        accessToken: null,
        secrets: [app.secret, code],
      })
      const token = wordOf(answer.access_token)
      if (token === null) throw unreadable('no_token')
      return token
    },
    ...businessAdministration(ask),
    ...numberAdministration(ask),
    async uploadToApp({ appId, file, ...right }) {
      const path = `/uploads${query({ file_name: file.filename, file_length: String(file.sizeBytes), file_type: file.mimeType })}`
      const session = wordOf((await ask({ ...right, object: appId, path, method: 'POST' })).id)
      if (session === null || !isEndpoint(session)) throw unreadable('no_session')
      const handle = wordOf((await sendBytes({ ...right, object: session, file })).h)
      if (handle === null) throw unreadable('no_handle')
      return handle
    },
  }
}

/** Calls about a business account. */
function businessAdministration(ask: AskGraph) {
  return {
    async listPhoneNumbers(call: BusinessRight) {
      const found: PhoneNumberFacts[] = []
      let after: string | null = null
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const parameters = {
          fields: PHONE_NUMBER_FIELDS.join(','),
          limit: '100',
          ...(after === null ? {} : { after }),
        }
        const answer = await ask({
          ...ofBusiness(call),
          path: `/phone_numbers${query(parameters)}`,
        })
        found.push(
          ...listOf(answer.data)
            .filter(isObject)
            .map(readPhoneNumber)
            .filter((facts) => facts !== null),
        )
        const paging = objectOf(answer.paging)
        after = wordOf(paging.next) === null ? null : wordOf(objectOf(paging.cursors).after)
        if (after === null) break
      }
      return found
    },
    async getPortfolioId(call: BusinessRight) {
      const answer = await ask({
        ...ofBusiness(call),
        path: query({ fields: 'id,owner_business_info,on_behalf_of_business_info' }),
      })
      return (
        wordOf(objectOf(answer.on_behalf_of_business_info).id) ??
        wordOf(objectOf(answer.owner_business_info).id)
      )
    },
    async listSubscribedApps(call: BusinessRight) {
      const answer = await ask({ ...ofBusiness(call), path: '/subscribed_apps' })
      return listOf(answer.data)
        .map((app) => wordOf(objectOf(objectOf(app).whatsapp_business_api_data).id))
        .filter((id) => id !== null)
    },
    async subscribeApp(call: BusinessRight) {
      requireSuccess(await ask({ ...ofBusiness(call), path: '/subscribed_apps', method: 'POST' }))
    },
    async unsubscribeApp(call: BusinessRight) {
      requireSuccess(await ask({ ...ofBusiness(call), path: '/subscribed_apps', method: 'DELETE' }))
    },
  }
}

/** Calls about a phone number. */
function numberAdministration(ask: AskGraph) {
  return {
    async setCallback({ callback, ...call }: Parameters<Administration['setCallback']>[0]) {
      const webhook_configuration =
        callback === null
          ? { override_callback_uri: '' }
          : { override_callback_uri: callback.url, verify_token: callback.verifyToken }
      const secrets = callback === null ? [] : [callback.verifyToken]
      requireSuccess(await ask({ ...ofNumber(call), payload: { webhook_configuration }, secrets }))
    },
    async registerNumber({ pin, ...call }: Parameters<Administration['registerNumber']>[0]) {
      const payload = { messaging_product: 'whatsapp', pin }
      requireSuccess(await ask({ ...ofNumber(call), path: '/register', payload, secrets: [pin] }))
    },
    async getProfile(call: NumberRight) {
      const answer = await ask({
        ...ofNumber(call),
        path: `/whatsapp_business_profile${query({ fields: PROFILE_FIELDS })}`,
      })
      const first = objectOf(listOf(answer.data)[0])
      return readProfile(isObject(first.business_profile) ? first.business_profile : first)
    },
    async setProfile({ fields, ...call }: Parameters<Administration['setProfile']>[0]) {
      const payload = { messaging_product: 'whatsapp', ...fields }
      requireSuccess(await ask({ ...ofNumber(call), path: '/whatsapp_business_profile', payload }))
    },
    async getFlowKey(call: NumberRight) {
      const answer = await ask({ ...ofNumber(call), path: '/whatsapp_business_encryption' })
      const first = objectOf(listOf(answer.data)[0])
      const publicKey = wordOf(first.business_public_key)
      return publicKey === null
        ? null
        : { publicKey, status: wordOf(first.business_public_key_signature_status) }
    },
    async setFlowKey({ publicKey, ...call }: Parameters<Administration['setFlowKey']>[0]) {
      const payload = { business_public_key: publicKey }
      requireSuccess(
        await ask({ ...ofNumber(call), path: '/whatsapp_business_encryption', payload }),
      )
    },
  }
}

function readToken(data: JsonObject): TokenFacts {
  if (typeof data.is_valid !== 'boolean') throw unreadable('no_validity')
  const granular = listOf(data.granular_scopes).filter(isObject)
  const targets = granular
    .filter((scope) => wordOf(scope.scope)?.startsWith('whatsapp_business') ?? false)
    .flatMap((scope) => listOf(scope.target_ids).map(wordOf))
    .filter((id) => id !== null)
  return {
    isValid: data.is_valid,
    appId: wordOf(data.app_id),
    expiresAtMs: numberOf(data.expires_at) === 0 ? null : secondsToMs(data.expires_at),
    scopes: listOf(data.scopes)
      .map(wordOf)
      .filter((scope) => scope !== null),
    businessIds: [...new Set(targets)],
  }
}

/**
 * The profile is flat in real responses and nested in some platform documents. The caller unwraps
 * it.
 */
const readProfile = (profile: JsonObject): ProfileFacts => ({
  about: wordOf(profile.about),
  address: wordOf(profile.address),
  description: wordOf(profile.description),
  email: wordOf(profile.email),
  websites: listOf(profile.websites)
    .map(wordOf)
    .filter((site) => site !== null),
  vertical: wordOf(profile.vertical) === 'UNDEFINED' ? null : wordOf(profile.vertical),
  pictureUrl: wordOf(profile.profile_picture_url),
})
