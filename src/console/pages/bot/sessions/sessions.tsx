import { Link, useSearch } from '@tanstack/react-router'

import type { BotSessionItem } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { contactColumn, timeColumn } from '../../../parts/contact/contact-column'
import { nameOf } from '../../../parts/contact/name'
import { NumberFilter } from '../../../parts/contact/record-filters'
import { ChoiceFilter, FoundFilter, ListPage, useShow } from '../../../parts/list-page'
import { MenuItem } from '../../../parts/menu'
import type { Column } from '../../../parts/table'
import { t } from '../../../texts/texts'
import { useCancel } from './cancel'
import { STATES, whereOf } from './words'

const LOOKS: Partial<Record<BotSessionItem['status'], string>> = {
  active: 'chip good',
  failed: 'chip danger',
}

/** The state of a session, as a chip. */
export const SessionState = ({ status }: Pick<BotSessionItem, 'status'>) => (
  <span className={LOOKS[status] ?? 'chip'}>{t(`bot.sessions.state.${status}`)}</span>
)

const columns = (): Column<BotSessionItem>[] => [
  contactColumn<BotSessionItem>(),
  {
    id: 'flow',
    label: t('bot.sessions.what'),
    width: 2,
    cell: ({ id, flow }) => (
      <Link to="/bot/sessions/$sessionId" params={{ sessionId: id }} dir="auto">
        {flow?.name ?? t('bot.sessions.no-flow')}
      </Link>
    ),
  },
  {
    id: 'where',
    label: t('bot.sessions.where'),
    width: 3,
    isExtra: true,
    cell: (session) => <bdi>{whereOf(session)}</bdi>,
  },
  {
    id: 'state',
    label: t('bot.rules.state'),
    width: 2,
    cell: (session) => <SessionState {...session} />,
  },
  timeColumn(t('bot.sessions.since'), ({ started_at: at }) => at),
  {
    ...timeColumn<BotSessionItem>(t('bot.sessions.last'), ({ last_activity: at }) => at),
    ...{ id: 'last', isExtra: true, isOptional: true },
  },
]

/** Who talks to the bot, in which flow, where it stands, and since when. */
export function Sessions() {
  const { state, flow, account } = useSearch({ from: '/bot/sessions' })
  const show = useShow<{
    state?: BotSessionItem['status'] | undefined
    flow?: string | undefined
  }>()
  const mayCancel = useCan('chatbot:delete')
  const cancel = useCancel()
  return (
    <ListPage
      title={t('shell.bot.sessions')}
      route="GET /api/chatbot/sessions"
      needs="chatbot:read"
      icon="chatbot"
      filter={{ status: state, flow_id: flow, account_id: account }}
      columnsOf="bot-sessions"
      columns={columns()}
      nameOf={({ contact }) => nameOf(contact)}
      {...(mayCancel
        ? {
            menu: (session: BotSessionItem) =>
              session.status === 'active' && (
                <MenuItem
                  icon="stop"
                  label={t('bot.sessions.cancel')}
                  onAction={() => {
                    cancel.ask(session)
                  }}
                />
              ),
          }
        : {})}
      empty={t('bot.sessions.empty')}
      emptyHint={t('bot.sessions.empty-hint')}
      filters={
        <>
          <ChoiceFilter
            label={t('bot.rules.state')}
            any={t('bot.sessions.any-state')}
            value={state}
            choices={STATES.map((id) => ({ id, label: t(`bot.sessions.state.${id}`) }))}
            onChange={(id) => {
              show({ state: id })
            }}
          />
          <FoundFilter
            kind="botFlow"
            label={t('bot.buttons.flow')}
            any={t('bot.sessions.any-flow')}
            value={flow}
            onChange={(id) => {
              show({ flow: id })
            }}
          />
          <NumberFilter value={account} />
        </>
      }
    >
      {cancel.window}
    </ListPage>
  )
}
