import { useSearch } from '@tanstack/react-router'

import type { ScheduledMessage } from '../../api/shapes'
import { useCan } from '../../live/me'
import { ContactArea } from '../../parts/contact/area'
import { contactColumn } from '../../parts/contact/contact-column'
import { nameOf } from '../../parts/contact/name'
import { DayFilter, NumberFilter, timesOfDay } from '../../parts/contact/record-filters'
import { ChoiceFilter, ListPage, useShow } from '../../parts/list-page'
import type { Column } from '../../parts/table'
import { formatAhead } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { useVerbs } from './verbs'
import { wordsOf } from '../../parts/contact/scheduled-words'

const STATES = ['sent', 'failed', 'cancelled', 'all'] as const
const LOOKS: Partial<Record<ScheduledMessage['state'], string>> = {
  sent: 'good',
  failed: 'danger',
}

/** Messages that are sent later: those that wait, soonest first, and what became of the others. */
export function Scheduled() {
  const { state, account, mine, day } = useSearch({ from: '/scheduled' })
  const show = useShow<{ state?: (typeof STATES)[number] | undefined; mine?: true | undefined }>()
  const seesOthers = useCan('contacts:delete')
  const { menu, windows } = useVerbs()
  return (
    <ContactArea>
      <ListPage
        title={t('records.scheduled.title')}
        route="GET /api/scheduled-messages"
        needs="messages:create"
        icon="clock"
        always={
          state === undefined ? { state: 'scheduled', order: 'asc' } : { order: 'desc' as const }
        }
        filter={{
          ...{ state: state === 'all' ? undefined : state, account_id: account, mine },
          ...timesOfDay(day),
        }}
        columns={columns(seesOthers)}
        nameOf={({ contact }) => nameOf(contact)}
        menu={menu}
        empty={t('records.scheduled.empty')}
        emptyHint={t('records.scheduled.empty-hint')}
        filters={
          <>
            <ChoiceFilter
              label={t('templates.state')}
              any={t('records.scheduled.state.scheduled')}
              value={state}
              choices={STATES.map((id) => ({ id, label: t(`records.scheduled.state.${id}`) }))}
              onChange={(next) => {
                show({ state: next })
              }}
            />
            <DayFilter value={day} />
            <NumberFilter value={account} />
            {seesOthers && (
              <ChoiceFilter
                label={t('records.scheduled.author')}
                any={t('records.scheduled.everybody')}
                value={mine ? 'mine' : undefined}
                choices={[{ id: 'mine', label: t('records.scheduled.mine') }]}
                onChange={(next) => {
                  show({ mine: next === undefined ? undefined : true })
                }}
              />
            )}
          </>
        }
      >
        {windows}
      </ListPage>
    </ContactArea>
  )
}

/** Says why a message was not sent. */
const reasonOf = ({ code, message }: { code: string; message: string }): string =>
  findText(`records.failed.${code}`) ??
  findText(`parts.error.${code}`) ??
  findText(`inbox.failure.${code}`) ??
  message

/** The state of a message; of one that was not sent also why. */
function State({
  message: { state, error, fallback_sent: isFallback },
}: {
  message: ScheduledMessage
}) {
  const more = error ? reasonOf(error) : isFallback ? t('records.scheduled.fallback') : null
  return (
    <>
      <span className={`chip ${LOOKS[state] ?? ''}`}>{t(`records.scheduled.state.${state}`)}</span>
      {more !== null && (
        <span className="second small" dir="auto" title={more}>
          {more}
        </span>
      )}
    </>
  )
}

const columns = (seesOthers: boolean): Column<ScheduledMessage>[] => [
  contactColumn(),
  {
    ...{ id: 'words', label: t('records.scheduled.message'), width: 3.4 },
    cell: (one) => (
      <span dir="auto" title={wordsOf(one)}>
        {wordsOf(one)}
      </span>
    ),
  },
  {
    ...{ id: 'state', label: t('templates.state'), width: 2 },
    cell: (one) => <State message={one} />,
  },
  ...(seesOthers
    ? [
        {
          ...{ id: 'author', label: t('records.scheduled.author'), width: 1.4, isExtra: true },
          cell: ({ created_by: author }: ScheduledMessage) =>
            author?.name != null && <bdi>{author.name}</bdi>,
        },
      ]
    : []),
  {
    ...{ id: 'time', label: t('records.scheduled.time'), width: 1.8, isNumber: true },
    cell: ({ send_at: at }) => <time dateTime={at}>{formatAhead(at)}</time>,
  },
]
