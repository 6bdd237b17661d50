import type { Phone } from './accounts'
import type { Call } from './calls'
import { refusal } from './errors'
import type { Failure } from './errors'
import type { Answer } from './messages'
import { rejected } from './messages'
import { parametersOf } from './parameters'
import { isObject } from './rules'
import type { StoredTemplate } from './template-store'
import { upper } from './template-rules'
import type { World } from './world'

/** Members of a template, besides its contents, that tell how it is optimized. */
export const OPTION_KEYS = ['optimization_spec', 'degrees_of_freedom_spec']

/** Options of a template. */
export type StoredOptions = Pick<StoredTemplate, 'maxPrice' | 'creativeFeatures'>

type Read = { options: StoredOptions } | { failure: Failure }

/** What the platform may change in marketing messages. */
const CREATIVE_FEATURES = new Set(
  (
    'add_text_overlay auto_promotion_tag dynamic_cta_text hyperlink_formatting image_animation ' +
    'image_background_gen image_banner image_brightness_and_contrast image_touchups ' +
    'product_extensions text_extraction_for_headline text_extraction_for_tap_target ' +
    'text_formatting_optimization'
  ).split(' '),
)

const wrong = (message: string): { failure: Failure } => ({
  failure: { code: 100, message: `(#100) ${message}` },
})

/**
 * Changes which creative features a business account has switched on. Only those that accepted the
 * terms of marketing messages have any.
 */
export function changeBusiness(world: World, call: Call, phones: readonly Phone[]): Answer {
  const wabaId = call.object ?? ''
  const { degrees_of_freedom_spec: spec, ...more } = parametersOf(call)
  const [foreign] = Object.keys(more)
  const no = (failure: Failure) => rejected(world, refusal(failure))
  if (foreign !== undefined) return no(wrong(`Unexpected key "${foreign}" on param.`).failure)
  if (!phones.some(({ marketingStatus }) => marketingStatus === 'ONBOARDED'))
    return no(wrong('The business has not accepted the terms of marketing messages.').failure)
  const read = readCreativeFeatures(spec, world.templateStore.creativeFeatures.get(wabaId))
  if ('failure' in read) return no(read.failure)
  world.templateStore.creativeFeatures.set(wabaId, read.features)
  return { status: 200, body: { success: true } }
}

type About = { category: string; business: Phone; before?: StoredTemplate }

/** Reads the options of a submitted template. */
export function readOptions(body: Record<string, unknown>, about: About): Read {
  const price = readMaxPrice(body['optimization_spec'], about)
  if ('failure' in price) return price
  const spec = body['degrees_of_freedom_spec']
  if (spec === undefined) return price
  if (upper(about.category) !== 'MARKETING')
    return wrong('Creative features are for marketing templates only.')
  const creative = readCreativeFeatures(spec, about.before?.creativeFeatures)
  return 'failure' in creative
    ? creative
    : { options: { ...price.options, creativeFeatures: creative.features } }
}

/** Reads which creative features are switched on and off. Those that are not named stay. */
function readCreativeFeatures(
  spec: unknown,
  before: Record<string, string> = {},
): { features: Record<string, string> } | { failure: Failure } {
  const named = isObject(spec) ? spec['creative_features_spec'] : undefined
  if (!isObject(named)) return wrong('Param creative_features_spec must be an object.')
  const features = { ...before }
  for (const [name, choice] of Object.entries(named)) {
    if (!CREATIVE_FEATURES.has(name))
      return wrong(`Unexpected key "${name}" on param creative_features_spec.`)
    const status = isObject(choice) ? choice['enroll_status'] : undefined
    if (status !== 'OPT_IN' && status !== 'OPT_OUT')
      return wrong('Param enroll_status must be one of {OPT_IN, OPT_OUT}.')
    features[name] = status
  }
  return { features }
}

/**
 * Reads the highest price of a submitted template. It needs the agreement, and one for an existing
 * template needs one before.
 */
function readMaxPrice(spec: unknown, { category, business, before }: About): Read {
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
