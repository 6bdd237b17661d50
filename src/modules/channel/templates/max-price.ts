import { InvalidError, fieldSentence } from '../../../lib/errors'
import type { Report } from '../../../lib/input-problems'
import type { Ctx } from '../../../infra/ctx'
import { maxPriceSpec } from '../../../platform/templates/max-price'
import type { JsonObject } from '../../../platform/lenient-json'
import { getOrganization } from '../../organization/organizations/service'
import type { TemplateRow } from './view'

/** The agreement that the platform demands, for people who have to find and sign it. */
const AGREEMENT =
  "Meta's Max Price Beta Agreement, which an admin of the Meta business signs in WhatsApp Manager, " +
  'once for the business'

/** Reports a highest price of a template that is not for marketing (platform documentation: max price). */
export function checkMaxPrice(report: Report, category: string, maxPrice: number | null): void {
  if (maxPrice !== null && category !== 'MARKETING')
    report('body.max_price', 'is only allowed for the category MARKETING')
}

/**
 * Throws InvalidError `max_price_off` if there is a highest price and the organization has not turned
 * them on.
 */
export function requireMaxPriceOn(ctx: Ctx, maxPrice: number | null): void {
  if (maxPrice === null || getOrganization(ctx).templateMaxPrice) return
  throw new InvalidError(
    `Highest prices are turned off. They need ${AGREEMENT}. Then turn on \`template_max_price\` in ` +
      'the settings of the organization.',
    { code: 'max_price_off' },
  )
}

/**
 * Returns the highest price that counts: none if the platform has moved the template to another
 * category.
 */
export const maxPriceOf = (row: Pick<TemplateRow, 'category' | 'maxPrice'>): number | null =>
  row.category === 'MARKETING' ? row.maxPrice : null

/**
 * Throws InvalidError if a published template would get or lose its highest price. The platform only
 * accepts another one.
 */
export function requireSamePricing(
  before: TemplateRow,
  category: string,
  maxPrice: number | null,
): void {
  const had = before.maxPrice !== null
  const isFixed = before.platformId !== null && category === 'MARKETING'
  if (!isFixed || had === (maxPrice !== null)) return
  const path = 'body.max_price'
  const message = had
    ? 'can be changed but not removed, because the template is published; duplicate it instead'
    : 'cannot be added, because the template is published; duplicate it instead'
  throw new InvalidError(fieldSentence(path, message), { errors: [{ path, message }] })
}

/** Returns the part of a submission that sets the highest price. */
export function submittedMaxPrice(row: Pick<TemplateRow, 'category' | 'maxPrice'>): JsonObject {
  const maxPrice = maxPriceOf(row)
  return maxPrice === null ? {} : maxPriceSpec(maxPrice)
}

/** Returns what to do about a submission with a highest price that the platform refused. */
export const hintOnMaxPrice = (row: Pick<TemplateRow, 'category' | 'maxPrice'>): string =>
  maxPriceOf(row) === null ? '' : ` A highest price needs ${AGREEMENT}.`
