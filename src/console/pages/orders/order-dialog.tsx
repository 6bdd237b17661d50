import type { Order } from '../../api/shapes'
import { Button } from '../../parts/button'
import { nameOf } from '../../parts/contact/name'
import { OrderLines } from '../../parts/contact/order'
import { Dialog } from '../../parts/dialog'
import { RichText } from '../../parts/rich-text'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'

interface Props {
  order: Order
  onOpenConversation: () => void
  onClose: () => void
}

/** An order, line by line, with what the customer wrote. */
export function OrderDialog({ order, onOpenConversation, onClose }: Props) {
  return (
    <Dialog
      title={t('records.orders.of', { name: nameOf(order.contact) })}
      isOpen
      onClose={onClose}
    >
      <p className="muted">
        {t(`contact.order.${order.state}`)} · {formatDateTime(order.timestamp)}
      </p>
      <OrderLines order={order} />
      {order.text !== null && <RichText text={order.text} />}
      <footer className="actions">
        <Button onPress={onClose}>{t('parts.action.close')}</Button>
        <Button look="primary" onPress={onOpenConversation}>
          {t('records.open')}
        </Button>
      </footer>
    </Dialog>
  )
}
