import { listOf, numberOf, objectOf, textOf, wordOf } from '../lenient-json'
import type { JsonObject } from '../lenient-json'

/**
 * An order with its total. Missing values are `null`, as is a total that depends on them or mixes
 * currencies.
 */
export function readOrder(order: JsonObject): JsonObject {
  const items = listOf(order.product_items)
    .map(objectOf)
    .map((item) => ({
      product_retailer_id: wordOf(item.product_retailer_id),
      quantity: numberOf(item.quantity),
      item_price: numberOf(item.item_price),
      currency: wordOf(item.currency),
    }))
  const currencies = new Set(items.map((item) => item.currency))
  const [currency = null] = currencies
  return {
    catalog_id: wordOf(order.catalog_id),
    text: textOf(order.text) || null,
    items,
    total: currencies.size === 1 ? totalOf(items) : null,
    currency: currencies.size > 1 ? null : currency,
  }
}

/** Returns the sum of an order, or `null` if a quantity or price is unknown. */
function totalOf(items: { quantity: number | null; item_price: number | null }[]): number | null {
  let total = 0
  for (const { quantity, item_price: price } of items) {
    if (quantity === null || price === null) return null
    total += quantity * price
  }
  // Rounds binary fractions such as 0.30000000000000004. No currency has more than four decimals.
  return Math.round(total * 10_000) / 10_000
}
