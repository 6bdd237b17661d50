import { isObject, objectOf, secondsToMs, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/**
 * The tap on a quick-reply button of a template. Without payload the button's text stands for it
 * (platform documentation).
 */
export function readTemplateButton(button: unknown): JsonObject {
  const { payload, text } = objectOf(button)
  const title = textOf(text)
  return {
    kind: 'template_button',
    payload: textOf(payload) ?? title,
    title: title ?? textOf(payload),
  }
}

/**
 * An answer to an interactive message, by kind; a kind we do not know, or none, is `other` with
 * what came.
 */
export function readInteractive(interactive: unknown): JsonObject {
  const answer = objectOf(interactive)
  const kind =
    wordOf(answer.type) ?? Object.keys(answer).find((member) => isObject(answer[member])) ?? ''
  const member = objectOf(answer[kind])
  switch (isObject(answer[kind]) ? kind : '') {
    case 'button_reply':
    case 'list_reply':
      return {
        kind,
        id: textOf(member.id),
        title: textOf(member.title),
        description: textOf(member.description),
      }
    case 'nfm_reply':
      return readFormReply(member)
    case 'call_permission_reply':
      return {
        kind,
        response: wordOf(member.response),
        expires_at: isoOf(member.expiration_timestamp),
      }
    default:
      return { kind: 'other', raw: answer }
  }
}

/**
 * A filled-in form: a flow's or an address. Its data is JSON in a text, which may be anything; what
 * is no object is kept as text.
 */
function readFormReply(reply: JsonObject): JsonObject {
  const data = parseObject(reply.response_json)
  const filled = { data, data_raw: data === null ? textOf(reply.response_json) : null }
  if (wordOf(reply.name) === 'address_message') return { kind: 'address_reply', ...filled }
  return {
    kind: 'flow_reply',
    flow_id: null,
    flow_token: wordOf(data?.flow_token),
    ...filled,
    body: textOf(reply.body),
  }
}

function parseObject(json: unknown): JsonObject | null {
  if (typeof json !== 'string') return isObject(json) ? json : null
  try {
    const parsed: unknown = JSON.parse(json)
    return isObject(parsed) ? parsed : null
  } catch {
    return null
  }
}

function isoOf(seconds: unknown): string | null {
  const ms = secondsToMs(seconds)
  return ms === null ? null : new Date(ms).toISOString()
}
