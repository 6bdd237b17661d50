import { isObject, objectOf, secondsToMs, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/**
 * A tap on a template's quick-reply button. A missing payload defaults to the button text (platform
 * documentation).
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

/** A reply to an interactive message, by kind. Unknown kinds become `other` with the raw reply. */
export function readInteractive(interactive: unknown): JsonObject {
  const reply = objectOf(interactive)
  const kind =
    wordOf(reply.type) ?? Object.keys(reply).find((member) => isObject(reply[member])) ?? ''
  const member = objectOf(reply[kind])
  switch (isObject(reply[kind]) ? kind : '') {
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
        expires_at: isoFromSeconds(member.expiration_timestamp),
      }
    default:
      return { kind: 'other', raw: reply }
  }
}

/**
 * A submitted Flow or address form. Its data is JSON in a text field; anything but an object is
 * kept as text.
 */
function readFormReply(reply: JsonObject): JsonObject {
  const data = parseObject(reply.response_json)
  const formData = { data, data_raw: data === null ? textOf(reply.response_json) : null }
  if (wordOf(reply.name) === 'address_message') return { kind: 'address_reply', ...formData }
  return {
    kind: 'flow_reply',
    flow_id: null,
    flow_token: wordOf(data?.flow_token),
    ...formData,
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

function isoFromSeconds(seconds: unknown): string | null {
  const ms = secondsToMs(seconds)
  return ms === null ? null : new Date(ms).toISOString()
}
