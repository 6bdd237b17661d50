import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import type { OutboxItem } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { FoundName } from '../../../parts/found-select'
import { Item, ItemList } from '../../../parts/item-list'
import { ChoiceFilter, FoundFilter, useShow } from '../../../parts/list-page'
import { Loaded, Pager } from '../../../parts/loaded'
import { Section } from '../../../parts/page'
import { report } from '../../../parts/toast'
import { formatDateTime } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'

const STAGES = [
  'queued',
  'held',
  'uploading',
  'retry_wait',
  'sending',
  'ambiguous',
] as const satisfies readonly OutboxItem['stage'][]

const PAGE = 50

/** Why a message waits and until when, in one line. */
const hintOf = ({ held_reason: reason, next_at: next, created_at: at }: OutboxItem): string =>
  [
    t('queue.written', { time: formatDateTime(at) }),
    reason !== null && t(`queue.held.${reason}`),
    next !== null && t('queue.next', { time: formatDateTime(next) }),
  ]
    .filter((one) => one !== false)
    .join(' · ')

/** The messages that wait, the oldest first. */
export function Waiting() {
  const search = useSearch({ from: '/settings' })
  const show = useShow<typeof search>()
  const navigate = useNavigate()
  const { page = 1, account } = search
  const stage = STAGES.find((one) => one === search.state)
  const query = {
    ...{ page, limit: PAGE },
    ...(stage === undefined ? {} : { stage }),
    ...(account === undefined ? {} : { account_id: account }),
  }
  const result = useApi('GET /api/outbox', { query })
  return (
    <Section title={t('queue.messages')}>
      <search className="filter-bar">
        <ChoiceFilter
          label={t('templates.state')}
          any={t('templates.any-state')}
          value={stage}
          choices={STAGES.map((id) => ({ id, label: t(`queue.stage.${id}`) }))}
          onChange={(state) => {
            show({ state, page: undefined as never })
          }}
        />
        <FoundFilter
          kind="account"
          label={t('incoming.number')}
          any={t('incoming.any-number')}
          value={account}
          onChange={(id) => {
            show({ account: id, page: undefined as never })
          }}
        />
      </search>
      <Loaded result={result}>
        {({ items, next_cursor: next, total_pages: pages }) => (
          <>
            {items.length === 0 && <p className="muted">{t('queue.none')}</p>}
            <ItemList label={t('queue.messages')}>
              {items.map((item) => (
                <WaitingItem key={item.message_id} item={item} />
              ))}
            </ItemList>
            <Pager
              page={page}
              pages={pages}
              hasNext={next !== null}
              onPage={(to) => {
                navigate({ to: '.', search: (now) => ({ ...now, page: to }) }).catch(report)
              }}
            />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function WaitingItem({ item }: { item: OutboxItem }) {
  const { contact_id: contactId, stage, type } = item
  const kind = findText(`queue.type.${type}`) ?? type
  const mayRead = useCan('accounts:read')
  return (
    <Item
      name={kind}
      link={
        <Link to="/contacts/$contactId" params={{ contactId }}>
          {kind}
        </Link>
      }
      badge={
        <>
          <span className={`chip ${stage === 'held' || stage === 'ambiguous' ? 'warn' : ''}`}>
            {t(`queue.stage.${stage}`)}
          </span>
          {mayRead && (
            <span className="muted">
              <FoundName kind="account" id={item.account_id} />
            </span>
          )}
        </>
      }
      hint={hintOf(item)}
    />
  )
}
