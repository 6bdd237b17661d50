import { isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import {
  type CallGraph,
  type UploadToSession,
  isEndpoint,
  query,
  unexpectedResponse,
} from './graph-request'
import { businessCalls } from './business-calls'
import { numberCalls } from './number-calls'
import { routingCalls } from './routing-calls'
import { type TokenFacts, type Administration } from './administration'

/** Builds the administration calls. `ask` sends JSON requests, `sendBytes` uploads files. */
export function createAdministration(
  callGraph: CallGraph,
  uploadToSession: UploadToSession,
): Administration {
  return {
    async inspectToken({ app, accessToken, ...call }) {
      const credential = app === null ? accessToken : `${app.id}|${app.secret}`
      const response = await callGraph({
        ...call,
        object: 'debug_token',
        path: query({ input_token: accessToken, access_token: credential }),
        accessToken: null,
        secrets: [accessToken, credential, app?.secret ?? ''],
      })
      return readToken(objectOf(response.data))
    },
    async exchangeCode({ apiVersion, app, code, redirectUri }) {
      const path = query({
        client_id: app.id,
        client_secret: app.secret,
        code,
        ...(redirectUri === null ? {} : { redirect_uri: redirectUri }),
      })
      const response = await callGraph({
        object: 'oauth/access_token',
        path,
        apiVersion,
        accessToken: null,
        secrets: [app.secret, code],
      })
      const token = wordOf(response.access_token)
      if (token === null) throw unexpectedResponse('no_token')
      return token
    },
    ...businessCalls(callGraph),
    ...numberCalls(callGraph),
    ...routingCalls(callGraph),
    async uploadToApp({ appId, file, ...credential }) {
      const path = `/uploads${query({ file_name: file.filename, file_length: String(file.sizeBytes), file_type: file.mimeType })}`
      const session = wordOf(
        (await callGraph({ ...credential, object: appId, path, method: 'POST' })).id,
      )
      if (session === null || !isEndpoint(session)) throw unexpectedResponse('no_session')
      const handle = wordOf((await uploadToSession({ ...credential, object: session, file })).h)
      if (handle === null) throw unexpectedResponse('no_handle')
      return handle
    },
  }
}

function readToken(data: JsonObject): TokenFacts {
  if (typeof data.is_valid !== 'boolean') throw unexpectedResponse('no_validity')
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
