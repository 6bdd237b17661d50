import { createHash } from 'node:crypto'

import type { Phone } from './accounts'
import type { Accepted } from './checks'
import type { Failure } from './errors'
import { isObject } from './rules'
import type { StoredTemplate } from './template-store'
import type { World } from './world'

/** Longest text of a message that is sent without a template. */
const MAX_TEXT = 1_024

const HOLDS_LINKS_OR_REPLIES = new Set(['button', 'cta_url'])

/** Names of the templates that the platform makes itself begin like this. */
const GENERATED = 'auto_generated_'

const categoryOf = (body: Record<string, unknown>): string | undefined =>
  typeof body['category'] === 'string' ? body['category'].toUpperCase() : undefined

/** Whether a body asks to be sent without a template outside of the 24-hour window. */
export const isDirectSend = (body: Record<string, unknown>): boolean =>
  categoryOf(body) === 'UTILITY'

const wrong = (details: string): Failure => ({ code: 100, details })

/**
 * Returns why a message with a `category` is refused (Direct Send). Authentication messages are
 * restricted; `SERVICE` is the same as no category.
 */
export function directRejection(
  phone: Phone,
  { accepted, body }: { accepted: Accepted; body: Record<string, unknown> },
): Failure | undefined {
  if (body['category'] === undefined || accepted.kind !== 'message') return undefined
  const category = categoryOf(body)
  if (category === 'SERVICE') return undefined
  if (category !== 'UTILITY' && category !== 'AUTHENTICATION')
    return wrong('Param category must be one of {AUTHENTICATION, SERVICE, UTILITY}')
  if (category === 'AUTHENTICATION' || !phone.hasDirectSend)
    return wrong(
      "Parameter Invalid: The 'category' value requires Direct Send, which isn't enabled for this " +
        'account. Use an approved message template instead.',
    )
  const { text, interactive } = body
  if (accepted.type === 'text' && isObject(text)) {
    if (text['preview_url'] !== undefined) return wrong('preview_url is not supported.')
    return [...String(text['body'])].length > MAX_TEXT ? wrong('The body is too long.') : undefined
  }
  const kind = isObject(interactive) ? String(interactive['type']) : ''
  return accepted.type === 'interactive' && HOLDS_LINKS_OR_REPLIES.has(kind)
    ? undefined
    : wrong('This message format is not supported.')
}

/** Returns the template that the platform makes of a message, the same for the same words. */
export function generatedTemplate(
  world: World,
  phone: Phone,
  body: Record<string, unknown>,
): StoredTemplate {
  const words = JSON.stringify(body['text'] ?? body['interactive'])
  const name = `${GENERATED}${createHash('sha256').update(words).digest('hex').slice(0, 16)}`
  return (
    world.templateStore.find(phone.wabaId, name, 'en_US') ??
    world.templateStore.keep({ name, category: 'UTILITY' }, phone.wabaId)
  )
}
