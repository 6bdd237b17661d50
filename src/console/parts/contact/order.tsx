import { call } from '../../api/client'
import type { Order } from '../../api/shapes'
import { formatMoney, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { report } from '../toast'

/** The states that an order may come into from each. */
export const NEXT_STATES: Readonly<Record<Order['state'], readonly Order['state'][]>> = {
  new: ['confirmed', 'cancelled'],
  confirmed: ['shipped', 'cancelled'],
  shipped: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
}

/** Changes the state of an order; its event shows it. */
export const changeOrder = (id: string, state: Order['state']): void => {
  call('PUT /api/orders/{id}', { params: { id }, body: { state } }).catch(report)
}

/** Returns an amount with its currency, which the customer's app names. */
const priceOf = (total: number, currency: string | null): string =>
  currency !== null && /^[A-Z]{3}$/.test(currency)
    ? formatMoney(total, currency)
    : `${formatNumber(total)} ${currency ?? ''}`

/** What an order costs in all; `null` if that is unknown. */
export const totalOf = ({ total, currency }: Pick<Order, 'total' | 'currency'>): string | null =>
  total === null ? null : priceOf(total, currency)

/** What was ordered, in one line. */
export const linesOf = ({ items }: Pick<Order, 'items'>): string =>
  items.map((one) => `${one.quantity ?? 1} × ${one.product_retailer_id ?? '?'}`).join(', ')

/** An order, line by line, with what each costs and all together. */
export function OrderLines({ order }: { order: Pick<Order, 'items' | 'total' | 'currency'> }) {
  const { items, currency } = order
  const total = totalOf(order)
  return (
    <ul className="order-items">
      {items.map(({ quantity, product_retailer_id: product, item_price: price, ...one }, index) => (
        <li key={index}>
          <span className="grow">
            {formatNumber(quantity ?? 1)} × <bdi>{product ?? '?'}</bdi>
          </span>
          {price !== null && (
            <span>{priceOf(price * (quantity ?? 1), one.currency ?? currency)}</span>
          )}
        </li>
      ))}
      {total !== null && (
        <li className="order-total">
          <span className="grow">{t('inbox.order.total')}</span>
          <span>{total}</span>
        </li>
      )}
    </ul>
  )
}
