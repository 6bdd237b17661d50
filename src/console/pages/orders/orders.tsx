import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { Order } from '../../api/shapes'
import { useCan } from '../../live/me'
import { PlainButton } from '../../parts/button'
import { ContactArea } from '../../parts/contact/area'
import { contactColumn, timeColumn } from '../../parts/contact/contact-column'
import { nameOf } from '../../parts/contact/name'
import { changeOrder, linesOf, NEXT_STATES, totalOf } from '../../parts/contact/order'
import { DaysFilter, NumberFilter, timesOf } from '../../parts/contact/record-filters'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { MenuItem } from '../../parts/menu'
import type { Column } from '../../parts/table'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { OrderDialog } from './order-dialog'

const STATES = Object.keys(NEXT_STATES) as Order['state'][]
const LOOKS: Partial<Record<Order['state'], string>> = {
  new: 'warn',
  completed: 'good',
}

/** What customers ordered from the catalog, and how far each order is. */
export function Orders() {
  const { state, account, days } = useSearch({ from: '/orders' })
  const [opened, open] = useState<Order | null>(null)
  const navigate = useNavigate()
  const mayChange = useCan('messages:create')
  const times = timesOf(days)
  const toConversation = ({
    conversation_id: conversationId,
    message_id: message,
  }: Order): void => {
    navigate({
      to: '/inbox/$conversationId',
      params: { conversationId },
      search: { message },
    }).catch(report)
  }
  const menu = (order: Order) => [
    <MenuItem
      key="open"
      icon="inbox"
      label={t('records.open')}
      onAction={() => {
        toConversation(order)
      }}
    />,
    ...(mayChange ? NEXT_STATES[order.state] : []).map((next) => (
      <MenuItem
        key={next}
        icon={next === 'cancelled' ? 'close' : 'check'}
        isDangerous={next === 'cancelled'}
        label={t(`records.orders.to.${next}`)}
        onAction={() => {
          changeOrder(order.id, next)
        }}
      />
    )),
  ]
  return (
    <ContactArea>
      <ListPage
        title={t('records.orders.title')}
        route="GET /api/orders"
        needs="messages:read"
        icon="cart"
        always={times}
        filter={{ state, account_id: account, ...(days === undefined ? {} : times) }}
        columns={columns(open)}
        nameOf={({ contact }) => nameOf(contact)}
        menu={menu}
        empty={t('records.orders.empty')}
        emptyHint={t('records.orders.empty-hint')}
        filters={<Filters />}
      >
        {opened && (
          <OrderDialog
            order={opened}
            onOpenConversation={() => {
              toConversation(opened)
            }}
            onClose={() => {
              open(null)
            }}
          />
        )}
      </ListPage>
    </ContactArea>
  )
}

function Filters() {
  const { state, account, days } = useSearch({ from: '/orders' })
  const show = useShow<{ state?: Order['state'] | undefined }>()
  return (
    <>
      <DaysFilter value={days} />
      <ChoiceFilter
        label={t('templates.state')}
        any={t('templates.any-state')}
        value={state}
        choices={STATES.map((id) => ({ id, label: t(`contact.order.${id}`) }))}
        onChange={(next) => {
          show({ state: next })
        }}
      />
      <NumberFilter value={account} />
    </>
  )
}

const columns = (open: (order: Order) => void): Column<Order>[] => [
  contactColumn(),
  {
    ...{ id: 'lines', label: t('records.orders.lines'), width: 3.2 },
    cell: (order) => (
      <PlainButton
        className="as-link"
        onPress={() => {
          open(order)
        }}
      >
        <bdi>{linesOf(order)}</bdi>
      </PlainButton>
    ),
  },
  {
    ...{ id: 'total', label: t('inbox.order.total'), width: 1, isNumber: true },
    cell: totalOf,
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 1.2 },
    cell: ({ state }) => (
      <span className={`chip ${LOOKS[state] ?? ''}`}>{t(`contact.order.${state}`)}</span>
    ),
  },
  timeColumn(t('records.orders.time'), ({ timestamp }) => timestamp),
]
