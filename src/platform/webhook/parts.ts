import { flagOf, isObject, listOf, numberOf, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/** An error reported in a webhook, for a message, a status or the number. */
export interface Fault {
  code: number | null
  title: string | null
  message: string | null
  details: string | null
  href: string | null
}

/** The message a message refers to, as stored and shown. */
export interface MessageContext {
  wa_message_id: string | null
  /** Author of the referenced message: phone digits or user ID. */
  from: string | null
  forwarded: boolean
  frequently_forwarded: boolean
  referred_product: { catalog_id: string | null; product_retailer_id: string | null } | null
}

/** The advertisement or post that led to a message, as stored and shown. */
export interface Referral {
  source_type: string | null
  source_id: string | null
  source_url: string | null
  headline: string | null
  body: string | null
  media_type: string | null
  media_url: string | null
  ctwa_clid: string | null
}

// In order of precedence: rare members decide only if no common one is present.
const TYPED_MEMBERS = [
  'text',
  'image',
  'video',
  'audio',
  'voice',
  'document',
  'sticker',
  'location',
  'contacts',
  'interactive',
  'button',
  'order',
  'reaction',
  'edit',
  'revoke',
  'system',
  'unsupported',
]

/** Infers the type of a message from its members. Returns `unknown` if it has no known member. */
export function inferType(message: JsonObject): string {
  return (
    TYPED_MEMBERS.find(
      (member) => typeof message[member] === 'object' && message[member] !== null,
    ) ?? 'unknown'
  )
}

/**
 * Reads the errors of a message, a status or a value, in order. The details can be in three fields
 * (platform documentation).
 */
export function readFaults(errors: unknown): Fault[] {
  return listOf(errors)
    .filter(isObject)
    .map((error) => ({
      code: numberOf(error.code),
      title: wordOf(error.title),
      message: wordOf(error.message),
      details:
        wordOf(objectOf(error.error_data).details) ??
        wordOf(error.error_data) ??
        wordOf(error.details),
      href: wordOf(error.href),
    }))
}

/** Reads the message reference, or `null`. */
export function readContext(context: unknown): MessageContext | null {
  if (!isObject(context)) return null
  const product = isObject(context.referred_product) ? context.referred_product : null
  const read = {
    wa_message_id: wordOf(context.id) ?? wordOf(context.message_id),
    from: wordOf(context.from),
    forwarded: flagOf(context.forwarded),
    frequently_forwarded: flagOf(context.frequently_forwarded),
    referred_product:
      product === null
        ? null
        : {
            catalog_id: wordOf(product.catalog_id),
            product_retailer_id: wordOf(product.product_retailer_id),
          },
  }
  return Object.values(read).some((member) => member !== null && member !== false) ? read : null
}

/** Reads the referral, or `null`. */
export function readReferral(referral: unknown): Referral | null {
  if (!isObject(referral)) return null
  return {
    source_type: wordOf(referral.source_type),
    source_id: wordOf(referral.source_id),
    source_url: wordOf(referral.source_url),
    headline: textOf(referral.headline),
    body: textOf(referral.body),
    media_type: wordOf(referral.media_type),
    media_url:
      wordOf(referral.image_url) ?? wordOf(referral.video_url) ?? wordOf(referral.thumbnail_url),
    ctwa_clid: wordOf(referral.ctwa_clid),
  }
}
