import { useQueryClient } from '@tanstack/react-query'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Select } from '../../parts/select'
import { report } from '../../parts/toast'
import { formatDateTime, formatMoney } from '../../texts/format'
import { t } from '../../texts/texts'

const ROUTE = 'GET /api/orders'
const MAX_SHOWN = 20
/** The states that may follow each, itself first. */
const NEXT = {
  new: ['new', 'confirmed', 'cancelled'],
  confirmed: ['confirmed', 'shipped', 'cancelled'],
  shipped: ['shipped', 'completed', 'cancelled'],
  completed: ['completed'],
  cancelled: ['cancelled'],
} as const

/** What the contact ordered, and how far each order is. */
export function Orders({ contactId }: { contactId: string }) {
  const client = useQueryClient()
  const mayChange = useCan('messages:create')
  const result = useApi(ROUTE, { query: { contact_id: contactId, limit: MAX_SHOWN } })
  return (
    <Loaded result={result} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('contact.no-orders')}</p>
        ) : (
          <ItemList label={t('contact.orders')}>
            {items.map((order) => (
              <Item
                key={order.id}
                name={order.items
                  .map((one) => `${one.quantity ?? 1} × ${one.product_retailer_id ?? '?'}`)
                  .join(', ')}
                hint={`${formatDateTime(order.timestamp)}${
                  order.total === null || order.currency === null
                    ? ''
                    : ` · ${formatMoney(order.total, order.currency)}`
                }`}
                actions={
                  <Select
                    label={t('contact.order-state')}
                    isLabelHidden
                    isDisabled={!mayChange || NEXT[order.state].length === 1}
                    choices={NEXT[order.state].map((id) => ({
                      id,
                      label: t(`contact.order.${id}`),
                    }))}
                    value={order.state}
                    onChange={(state) => {
                      call('PUT /api/orders/{id}', { params: { id: order.id }, body: { state } })
                        .then(() => client.invalidateQueries({ queryKey: [ROUTE] }))
                        .catch(report)
                    }}
                  />
                }
              />
            ))}
          </ItemList>
        )
      }
    </Loaded>
  )
}
