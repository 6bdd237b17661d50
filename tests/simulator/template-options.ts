import type { Phone } from './accounts'
import type { Failure } from './errors'
import { isObject } from './rules'
import type { StoredTemplate } from './template-store'
import { upper } from './template-rules'

/** Members of a template, besides its contents, that tell how it is optimized. */
export const OPTION_KEYS = ['optimization_spec']

/** Options of a template. */
export type StoredOptions = Pick<StoredTemplate, 'maxPrice'>

const wrong = (message: string): { failure: Failure } => ({
  failure: { code: 100, message: `(#100) ${message}` },
})

/**
 * Reads the options of a submitted template. A highest price needs the agreement, and one for an
 * existing template needs one before.
 */
export function readOptions(
  body: Record<string, unknown>,
  { category, business, before }: { category: string; business: Phone; before?: StoredTemplate },
): { options: StoredOptions } | { failure: Failure } {
  const spec = body['optimization_spec']
  if (spec === undefined) return { options: {} }
  if (!isObject(spec)) return wrong('Param optimization_spec must be an object.')
  const { bid_amount: amount, bid_strategy: strategy, ...more } = spec
  const [foreign] = Object.keys(more)
  if (foreign !== undefined) return wrong(`Unexpected key "${foreign}" on param optimization_spec.`)
  if (strategy !== 'LOWEST_COST_WITH_BID_CAP')
    return wrong('Param optimization_spec[bid_strategy] must be LOWEST_COST_WITH_BID_CAP.')
  if (typeof amount !== 'number' || !Number.isInteger(amount) || amount < 1)
    return wrong('Param optimization_spec[bid_amount] must be a positive whole number.')
  if (upper(category) !== 'MARKETING') return wrong('A max price is for marketing templates only.')
  if (!business.hasMaxPriceAgreement) return wrong('You need to sign the testing legal agreement.')
  if (before !== undefined && before.maxPrice === undefined)
    return wrong('A max price cannot be added to an existing template.')
  return { options: { maxPrice: amount } }
}
