import { Type, type TSchema } from '@sinclair/typebox'

import { isReservedHeader } from '../../../../lib/outgoing-headers'
import { patternText } from '../../../../lib/fields'
import { NewAccount } from '../../../channel/accounts/model'
import { jsonRule, textRule, type ColumnRule } from './rule'

const MAX_HEADERS = 20

const headersForm = jsonRule(
  Type.Record(Type.String({ maxLength: 100 }), Type.String({ maxLength: 4_096 })),
)

const isSent = ([name, value]: [string, string]): boolean =>
  name !== '' && !isReservedHeader(name) && !/[\r\n\0]/.test(name + value)

/** Headers that somebody lets this server send: none that it sets itself, and no second line. */
const headers: ColumnRule = {
  ...headersForm,
  problemOf: (value) => {
    const problem = headersForm.problemOf(value)
    if (problem !== null || typeof value !== 'string') return problem
    const all = Object.entries(JSON.parse(value) as Record<string, string>)
    return all.length <= MAX_HEADERS && all.every(isSent) ? null : 'must be headers that can be set'
  },
}

const signingSecret = textRule(
  patternText('^whsec_[A-Za-z0-9+/]{32,}={0,2}$', 'must be a signing secret', { maxLength: 128 }),
)

/** A text that becomes a header of a request: without a second line. */
const oneLine = (schema: TSchema): ColumnRule => {
  const form = textRule(schema)
  return {
    ...form,
    problemOf: (value) =>
      form.problemOf(value) ?? (/[\r\n\0]/.test(String(value)) ? 'must be one line' : null),
  }
}

const account = NewAccount.properties

/** Secrets that people write, in plain text, with the limits that the API has for them. */
export const SECRET_RULES: Record<string, Record<string, ColumnRule>> = {
  accounts: {
    access_token_sealed: oneLine(account.access_token),
    app_secret_sealed: textRule(account.app_secret),
    verify_token_sealed: textRule(account.webhook_verify_token),
    pin_sealed: textRule(account.pin),
  },
  ai_contexts: { headers_sealed: headers },
  bot_flows: { completion_headers_sealed: headers },
  custom_actions: { headers_sealed: headers },
  flows: { endpoint_headers_sealed: headers },
  webhook_endpoints: {
    headers_sealed: headers,
    secret_sealed: signingSecret,
    previous_secret_sealed: signingSecret,
  },
}
