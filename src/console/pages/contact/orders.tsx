import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { changeOrder, linesOf, NEXT_STATES, totalOf } from '../../parts/contact/order'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded } from '../../parts/loaded'
import { Select } from '../../parts/select'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

const MAX_SHOWN = 20

/** What the contact ordered, and how far each order is. */
export function Orders({ contactId }: { contactId: string }) {
  const mayChange = useCan('messages:create')
  const query = { contact_id: contactId, limit: MAX_SHOWN }
  return (
    <Loaded result={useApi('GET /api/orders', { query })} rows={2}>
      {({ items }) =>
        items.length === 0 ? (
          <p className="muted">{t('contact.no-orders')}</p>
        ) : (
          <ItemList label={t('contact.orders')}>
            {items.map((order) => (
              <Item
                key={order.id}
                name={linesOf(order)}
                hint={[formatDateTime(order.timestamp), totalOf(order)].filter(Boolean).join(' · ')}
                actions={
                  <Select
                    label={t('contact.order-state')}
                    isLabelHidden
                    isDisabled={!mayChange || NEXT_STATES[order.state].length === 0}
                    choices={[order.state, ...NEXT_STATES[order.state]].map((id) => ({
                      id,
                      label: t(`contact.order.${id}`),
                    }))}
                    value={order.state}
                    onChange={(state) => {
                      changeOrder(order.id, state)
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
