import { isObject, listOf, numberOf, objectOf, secondsToMs, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'
import { type AskGraph, type SendBytes, isEndpoint, query, unreadable } from './graph-request'
import { businessAdministration } from './business-calls'
import { numberAdministration } from './number-calls'
import { type TokenFacts, type Administration } from './administration'

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
