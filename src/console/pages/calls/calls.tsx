import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { Call } from '../../api/shapes'
import { useCan } from '../../live/me'
import { ContactArea } from '../../parts/contact/area'
import { AskToCall } from '../../parts/contact/ask-to-call'
import { CallFiles, CallOutcome, lengthOf } from '../../parts/contact/call'
import { contactColumn, timeColumn } from '../../parts/contact/contact-column'
import { nameOf } from '../../parts/contact/name'
import { DaysFilter, NumberFilter, timesOf } from '../../parts/contact/record-filters'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { MenuItem } from '../../parts/menu'
import type { Column } from '../../parts/table'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

const DIRECTIONS = ['incoming', 'outgoing'] as const
const STATES = ['ended', 'missed', 'rejected', 'failed', 'accepted', 'ringing'] as const

/** Calls with customers, what became of them, and their recordings. */
export function Calls() {
  const { direction, state, account, days } = useSearch({ from: '/calls' })
  const [asked, setAsked] = useState<Call | null>(null)
  const navigate = useNavigate()
  const mayAsk = useCan('messages:create')
  const times = timesOf(days)
  const menu = (one: Call) => {
    const { conversation_id: conversationId } = one
    return [
      conversationId !== null && (
        <MenuItem
          key="open"
          icon="inbox"
          label={t('records.open')}
          onAction={() => {
            const params = { conversationId }
            navigate({ to: '/inbox/$conversationId', params, search: {} }).catch(report)
          }}
        />
      ),
      mayAsk && (
        <MenuItem
          key="ask"
          icon="phone"
          label={t('inbox.call.ask')}
          onAction={() => {
            setAsked(one)
          }}
        />
      ),
    ]
  }
  return (
    <ContactArea>
      <ListPage
        title={t('records.calls.title')}
        route="GET /api/calls"
        needs="messages:read"
        icon="phone"
        always={times}
        filter={{ direction, state, account_id: account, ...(days === undefined ? {} : times) }}
        columns={columns()}
        nameOf={({ contact }) => nameOf(contact)}
        menu={menu}
        empty={t('records.calls.empty')}
        emptyHint={t('records.calls.empty-hint')}
        filters={<Filters />}
      >
        {asked && (
          <AskToCall
            contactId={asked.contact_id}
            accountId={asked.account_id}
            onClose={() => {
              setAsked(null)
            }}
          />
        )}
      </ListPage>
    </ContactArea>
  )
}

function Filters() {
  const { direction, state, account, days } = useSearch({ from: '/calls' })
  const show = useShow<{
    direction?: Call['direction'] | undefined
    state?: Call['state'] | undefined
  }>()
  return (
    <>
      <DaysFilter value={days} />
      <ChoiceFilter
        label={t('records.calls.direction')}
        any={t('records.calls.any-direction')}
        value={direction}
        choices={DIRECTIONS.map((id) => ({ id, label: t(`records.calls.${id}`) }))}
        onChange={(next) => {
          show({ direction: next })
        }}
      />
      <ChoiceFilter
        label={t('records.calls.outcome')}
        any={t('records.calls.any-outcome')}
        value={state}
        choices={STATES.map((id) => ({ id, label: t(`records.call.${id}`) }))}
        onChange={(next) => {
          show({ state: next })
        }}
      />
      <NumberFilter value={account} />
    </>
  )
}

const columns = (): Column<Call>[] => [
  contactColumn(),
  {
    ...{ id: 'direction', label: t('records.calls.direction'), width: 1.7 },
    cell: ({ direction }) => t(`records.calls.${direction}`),
  },
  {
    ...{ id: 'outcome', label: t('records.calls.outcome'), width: 2 },
    cell: (one) => <CallOutcome call={one} />,
  },
  {
    ...{ id: 'length', label: t('records.calls.length'), width: 0.8, isNumber: true },
    cell: lengthOf,
  },
  {
    ...{ id: 'files', label: t('records.calls.files'), width: 1.8, isExtra: true },
    cell: (one) => <CallFiles call={one} />,
  },
  timeColumn(t('records.calls.time'), ({ timestamp }) => timestamp),
]
