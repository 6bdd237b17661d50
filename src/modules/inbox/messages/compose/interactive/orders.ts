import type { InteractiveContent } from '../../../../../platform/send/content'
import {
  boundedList,
  lengthOf,
  optionalText,
  reportDuplicates,
  requiredText,
  type Report,
} from '../../../../../lib/input-problems'
import { LIMITS, MAX_COUNTS, MIN_CARDS, ORDER_STATUSES } from '../rules'
import { readFree } from './address-and-call'
import type { InteractiveInput } from './model'
import { INTERACTIVE_PATH } from './sections'

/** Reads the products of a carousel, one for each card. */
export function readCardProducts(
  report: Report,
  ids: InteractiveInput['product_retailer_ids'],
): string[] {
  const path = `${INTERACTIVE_PATH}.product_retailer_ids`
  const read = boundedList(report, path, ids, [MIN_CARDS, MAX_COUNTS.carouselCards]).map(
    (id, index) => requiredText(report, `${path}.${index}`, id, LIMITS.productId),
  )
  reportDuplicates(
    report,
    read.map((value, index) => ({ path: `${path}.${index}`, value })),
  )
  return read
}

type OrderStatus = Extract<InteractiveContent, { kind: 'order_status' }>

/** Reads what a customer is told about an order. */
export function readOrderStatus(
  report: Report,
  { reference_id, order_status, description }: InteractiveInput,
): Pick<OrderStatus, 'reference_id' | 'order_status' | 'description'> {
  const at = (field: string): string => `${INTERACTIVE_PATH}.${field}`
  const status = ORDER_STATUSES.find((known) => known === order_status)
  if (status === undefined)
    report(at('order_status'), `must be one of ${ORDER_STATUSES.join(', ')}`)
  return {
    reference_id: requiredText(report, at('reference_id'), reference_id, LIMITS.reference),
    order_status: status ?? '',
    description: optionalText(report, at('description'), description, LIMITS.orderDescription),
  }
}

type Free = Record<string, unknown>

const isFree = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reads a payment request in the platform's form. Checks what all countries share; the payment
 * settings differ by country, and the platform checks them.
 */
export function readPaymentRequest(report: Report, parameters: Free | undefined): Free {
  const path = `${INTERACTIVE_PATH}.parameters`
  const read = readFree(report, path, parameters)
  if (read === null) {
    report(path, 'is required')
    return {}
  }
  const { reference_id: reference, type, currency, total_amount: total, order } = read
  if (typeof reference !== 'string' || reference === '' || lengthOf(reference) > LIMITS.reference)
    report(`${path}.reference_id`, `must be a text of 1 to ${LIMITS.reference} characters`)
  if (type !== 'digital-goods' && type !== 'physical-goods')
    report(`${path}.type`, 'must be digital-goods or physical-goods')
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    report(`${path}.currency`, 'must be a currency code such as INR')
  checkAmount(report, `${path}.total_amount`, total)
  checkOrder(report, `${path}.order`, isFree(order) ? order : {})
  return read
}

function checkOrder(report: Report, path: string, { status, items, subtotal }: Free): void {
  if (status !== 'pending') report(`${path}.status`, 'must be pending')
  checkAmount(report, `${path}.subtotal`, subtotal)
  const list: unknown[] = Array.isArray(items) ? items : []
  if (list.length === 0 || list.length > MAX_COUNTS.orderItems)
    report(`${path}.items`, `must have 1 to ${MAX_COUNTS.orderItems} items`)
  for (const [index, item] of list.slice(0, MAX_COUNTS.orderItems).entries()) {
    const { name, amount, quantity } = isFree(item) ? item : {}
    const at = `${path}.items.${index}`
    if (typeof name !== 'string' || name.trim() === '') report(`${at}.name`, 'is required')
    checkAmount(report, `${at}.amount`, amount)
    if (!isWhole(quantity) || quantity < 1)
      report(`${at}.quantity`, 'must be a whole number from 1')
  }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value)

/** Checks an amount: a whole value, divided by the offset. */
function checkAmount(report: Report, path: string, amount: unknown): void {
  const { value, offset } = isFree(amount) ? amount : {}
  if (!isWhole(value) || value < 0 || !isWhole(offset) || offset < 1)
    report(path, 'must be {value, offset} in whole numbers')
}
