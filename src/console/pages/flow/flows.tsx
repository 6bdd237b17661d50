import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import { t } from '../../texts/texts'
import { columns, useConversations } from './columns'
import { DeleteFlow, FlowMenu, useMayStart, type Asked } from './flow-menu'
import { NewFlow } from './new-flow'
import { StartDialog } from './start-dialog'

/** The conversations that the bot holds by itself: list, new ones, and what is done with one. */
export function Flows() {
  const search = useSearch({ from: '/bot/flows' })
  const show = useShow<typeof search>()
  const mayCreate = useCan('flows:create')
  const mayStart = useMayStart()
  const mayDelete = useCan('flows:delete')
  const [isNew, setNew] = useState(false)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = (): void => {
    setAsked(null)
  }
  const { q, state } = search
  return (
    <ListPage
      title={t('shell.bot.flows')}
      route="GET /api/chatbot/flows"
      needs="flows:read"
      icon="transfers"
      find={t('flow.find')}
      words={q}
      filter={{ enabled: state === undefined ? undefined : state === 'on' }}
      columnsOf="flows"
      columns={columns(
        ({ id, name }) => (
          <Link to="/bot/flows/$flowId" params={{ flowId: id }} search={{}}>
            <bdi>{name}</bdi>
          </Link>
        ),
        useConversations(),
      )}
      nameOf={({ name }) => name}
      menu={(flow) => <FlowMenu flow={flow} onAsk={setAsked} />}
      empty={t('flow.empty')}
      emptyHint={t('flow.empty-hint')}
      actions={
        mayCreate && (
          <Button
            look="primary"
            onPress={() => {
              setNew(true)
            }}
          >
            {t('flow.new')}
          </Button>
        )
      }
      filters={
        <ChoiceFilter
          label={t('flow.state')}
          any={t('flow.any-state')}
          value={state}
          choices={(['on', 'off'] as const).map((id) => ({ id, label: t(`flow.state.${id}`) }))}
          onChange={(id) => {
            show({ state: id })
          }}
        />
      }
    >
      {isNew && (
        <NewFlow
          onClose={() => {
            setNew(false)
          }}
        />
      )}
      {asked?.what === 'start' && mayStart && <StartDialog flow={asked.flow} onClose={close} />}
      {asked?.what === 'delete' && mayDelete && <DeleteFlow flow={asked.flow} onClose={close} />}
    </ListPage>
  )
}
