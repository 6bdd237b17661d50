import { failureWithoutAnswer } from './response'
import { flagOf, isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import type { OutgoingFile } from './media'
import { PHONE_NUMBER_FIELDS, readPhoneNumber, type PhoneNumberFacts } from './phone-number'

/** A request to any object of the platform. */
export interface GraphCall {
  /** Id of the object, or the name of one of the platform's own endpoints. */
  object: string
  /** What comes behind the object, with the query. */
  path?: string
  apiVersion: string
  /** `null` where the right stands in the query. */
  accessToken: string | null
  /** What is taken out of whatever the platform says, beside the token. */
  secrets?: readonly string[]
  payload?: object | undefined
  /** GET without a body and POST with one, unless said. */
  method?: 'GET' | 'POST' | 'DELETE' | undefined
  signal?: AbortSignal | undefined
}

/** Asks the platform something and reads the answer. Throws PlatformError. */
export type AskGraph = (call: GraphCall) => Promise<JsonObject>

/** Sends the bytes of a file to an upload session. Throws PlatformError. */
export type SendBytes = (call: {
  object: string
  apiVersion: string
  accessToken: string
  file: OutgoingFile
  signal?: AbortSignal | undefined
}) => Promise<JsonObject>

/** What every call of administration says. */
interface Right {
  /** For example `v25.0`. */
  apiVersion: string
  accessToken: string
  signal?: AbortSignal | undefined
}

/** About a number. */
export interface NumberRight extends Right {
  phoneId: string
}

/** About a business account. */
export interface BusinessRight extends Right {
  businessId: string
}

/** An app of the platform, which may ask about the tokens that were made for it. */
export interface AppCredentials {
  id: string
  secret: string
}

/** What the platform tells of a token. */
export interface TokenFacts {
  isValid: boolean
  appId: string | null
  /** Epoch milliseconds; `null` when it never ends. */
  expiresAtMs: number | null
  scopes: string[]
  /** The business accounts it was given by name. */
  businessIds: string[]
}

/** What customers see of a business; the platform's own words. */
export interface ProfileFacts {
  about: string | null
  address: string | null
  description: string | null
  email: string | null
  websites: string[]
  vertical: string | null
  pictureUrl: string | null
}

/** A public key as the platform holds it for a number. */
export interface FlowKeyFacts {
  publicKey: string
  /** VALID, MISMATCH */
  status: string | null
}

/** What the platform is asked about numbers apart from messages. Each call throws PlatformError. */
export interface Administration {
  /**
   * What a token may do and until when; asked as the app it was made for, or with the token itself.
   */
  inspectToken(call: Right & { app: AppCredentials | null }): Promise<TokenFacts>
  /**
   * The token that the code of an embedded signup stands for. A code works once, within half a
   * minute.
   */
  exchangeCode(call: { apiVersion: string; app: AppCredentials; code: string }): Promise<string>
  /** The numbers of a business account, all pages of them. */
  listPhoneNumbers(call: BusinessRight): Promise<PhoneNumberFacts[]>
  /**
   * The business portfolio a business account belongs to; `null` when the platform does not say.
   */
  getPortfolioId(call: BusinessRight): Promise<string | null>
  /** The apps that get the webhooks of a business account, by id. */
  listSubscribedApps(call: BusinessRight): Promise<string[]>
  /** Lets the token's app get the webhooks of a business account. May be repeated safely. */
  subscribeApp(call: BusinessRight): Promise<void>
  /** Ends that. */
  unsubscribeApp(call: BusinessRight): Promise<void>
  /**
   * Sends the webhooks of one number to an address of its own, which the platform verifies first;
   * `null`: to the app's again.
   */
  setCallback(
    call: NumberRight & { callback: { url: string; verifyToken: string } | null },
  ): Promise<void>
  /** Registers a number for sending, with the PIN of its two-step verification. */
  registerNumber(call: NumberRight & { pin: string }): Promise<void>
  /** What customers see of the business behind a number. */
  getProfile(call: NumberRight): Promise<ProfileFacts>
  /** Changes fields of that, in the platform's words. */
  setProfile(call: NumberRight & { fields: JsonObject }): Promise<void>
  /** Hands a file to an app by the resumable upload; returns its handle. */
  uploadToApp(call: Right & { appId: string; file: OutgoingFile }): Promise<string>
  /** The public key the platform has for a number; `null` when it has none. */
  getFlowKey(call: NumberRight): Promise<FlowKeyFacts | null>
  /** Gives the platform another public key for a number. */
  setFlowKey(call: NumberRight & { publicKey: string }): Promise<void>
}

const UPLOAD_SESSION = /^upload:[\w+/=:-]{1,1000}(\?sig=[\w%=-]{1,500})?$/

/** Whether the name is one of the platform's own endpoints or an upload session of it. */
export const isEndpoint = (object: string): boolean =>
  object === 'debug_token' || object === 'oauth/access_token' || UPLOAD_SESSION.test(object)

const PROFILE_FIELDS = 'about,address,description,email,profile_picture_url,websites,vertical'

/** A business account has few numbers; a broken cursor must not be followed for ever. */
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

/** Success of calls that answer nothing else has to be said. */
function requireSuccess(answer: JsonObject): void {
  if (!flagOf(answer.success)) throw unreadable('no_success')
}

const unreadable = (cause: string) => failureWithoutAnswer('ambiguous', 200, cause)

/** The calls of administration over `ask`, and `sendBytes` for files. */
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

/** The part that is about a business account. */
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

/** The part that is about one number. */
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
 * Flat in real traffic, nested in some of the platform's own documents; the caller has unpacked it.
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
