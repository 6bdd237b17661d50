import { lengthOf, type Report } from '../../../../../lib/input-problems'
import { LIMITS, MAX_COUNTS } from '../rules'

type Free = Record<string, unknown>

const isFree = (value: unknown): value is Free =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Reports what is wrong with a payment request in the platform's form, as far as all countries share
 * it. The payment settings differ by country, and the platform checks them.
 */
export function checkPayment(report: Report, path: string, parameters: Free): void {
  const { reference_id: reference, type, currency, total_amount: total, order } = parameters
  if (typeof reference !== 'string' || reference === '' || lengthOf(reference) > LIMITS.reference)
    report(`${path}.reference_id`, `must be a text of 1 to ${LIMITS.reference} characters`)
  if (type !== 'digital-goods' && type !== 'physical-goods')
    report(`${path}.type`, 'must be digital-goods or physical-goods')
  if (typeof currency !== 'string' || !/^[A-Z]{3}$/.test(currency))
    report(`${path}.currency`, 'must be a currency code such as INR')
  checkAmount(report, `${path}.total_amount`, total)
  checkOrder(report, `${path}.order`, isFree(order) ? order : {})
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
