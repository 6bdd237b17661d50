import type { JsonObject } from '../lenient-json'

/**
 * Returns the part of a template that caps the price of 1,000 delivered messages, in the smallest unit
 * of the currency (platform documentation: max price).
 */
export const maxPriceSpec = (amount: number): JsonObject => ({
  optimization_spec: { bid_amount: amount, bid_strategy: 'LOWEST_COST_WITH_BID_CAP' },
})
