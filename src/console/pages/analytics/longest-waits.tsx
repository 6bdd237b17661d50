import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { call } from '../../api/client'
import { can, type Conversation } from '../../api/shapes'
import { useConversations } from '../../live/conversation-list'
import { useMe } from '../../live/me'
import { itemsOf } from '../../live/pages-of'
import { changeConversations } from '../../live/patch-conversations'
import { useNow } from '../../live/use-now'
import { AssignPicker, type Owner } from '../../parts/assign-picker'
import { Avatar } from '../../parts/avatar'
import { nameOf } from '../../parts/contact/name'
import { Item, ItemList } from '../../parts/item-list'
import { Empty, Problem, Skeleton } from '../../parts/state'
import { notify, report } from '../../parts/toast'
import { formatDuration } from '../../texts/format'
import { t } from '../../texts/texts'

/** Open conversations, whose customers wait longest first. */
const LONGEST = { state: 'open', sort: 'oldest_unanswered' } as const
const STEP_MS = 10_000
const MAX_SHOWN = 25

interface WaitingProps {
  /** Told which conversation is dragged, and that none is anymore. */
  onDrag: (dragged: Conversation | null) => void
}

/** The customers who have waited longest for an answer. Each conversation can be handed over. */
export function Waiting({ onDrag }: WaitingProps) {
  const me = useMe()
  const mayRead = can(me, 'messages:read')
  const { data, error, refetch } = useConversations(mayRead ? LONGEST : null)
  if (!mayRead) return null
  const since = ({ waiting_since: at }: Conversation): string => at ?? ''
  const rows = itemsOf<Conversation>(data)
    .filter((one) => one.waiting_since !== null && one.state === 'open')
    .toSorted((one, other) => since(one).localeCompare(since(other)))
    .slice(0, MAX_SHOWN)
  const title = t('analytics.live.who-waits')
  return (
    <section className="live-waiting" aria-label={title}>
      <h3>{title}</h3>
      {error && (
        <Problem
          error={error}
          onRetry={() => {
            refetch().catch(report)
          }}
        />
      )}
      {!data && !error && <Skeleton rows={5} />}
      {data && rows.length === 0 && (
        <Empty
          icon="check"
          title={t('analytics.live.nobody')}
          hint={t('analytics.live.nobody-hint')}
        />
      )}
      {rows.length > 0 && (
        <ItemList label={title}>
          {rows.map((one) => (
            <WaitingRow key={one.id} item={one} onDrag={onDrag} />
          ))}
        </ItemList>
      )}
    </section>
  )
}

/** What a person is told about who got a conversation, and what that one is told. */
interface Receiver {
  name: string
  note?: string
}

/** Returns how a conversation is given to somebody else. */
export function useHandOver() {
  const client = useQueryClient()
  return ({ id }: Conversation, owner: Owner, { name, note = '' }: Receiver): void => {
    const body = { ...owner, ...(note === '' ? {} : { note }) }
    call('PUT /api/conversations/{id}/owner', { params: { id }, body })
      .then((answer) => {
        changeConversations(client, id, (known) => ({ ...known, ...answer }))
        if (owner.to !== 'nobody') notify(t('inbox.assign.done', { name }))
      })
      .catch(report)
  }
}

function WaitingRow({ item, onDrag }: WaitingProps & { item: Conversation }) {
  const me = useMe()
  const navigate = useNavigate()
  const now = useNow(STEP_MS)
  const handOver = useHandOver()
  const [isOpen, setOpen] = useState(false)
  const isOwn = item.assigned_to === null || item.assigned_to === me.id
  const mayHandOver = can(me, 'transfers:assign') || (isOwn && can(me, 'transfers:create'))
  const name = nameOf(item.contact)
  const params = { conversationId: item.id }
  const owner = item.assigned_user?.full_name ?? item.team?.name ?? t('analytics.live.no-owner')
  const ask = (): void => {
    setOpen(true)
  }
  return (
    <Item
      mark={<Avatar name={item.contact.display_name} size="small" />}
      name={name}
      link={
        <Link to="/inbox/$conversationId" params={params} search={{}}>
          <bdi>{name}</bdi>
        </Link>
      }
      badge={
        <span className="chip warn">
          {formatDuration(Math.max(0, now - Date.parse(item.waiting_since ?? '')))}
        </span>
      }
      hint={
        <>
          <bdi>{owner}</bdi>
          {' · '}
          <bdi>{item.last_message?.preview ?? ''}</bdi>
        </>
      }
      onDrag={
        mayHandOver
          ? (isDragged) => {
              onDrag(isDragged ? item : null)
            }
          : undefined
      }
      keys={{
        Enter: () => {
          navigate({ to: '/inbox/$conversationId', params, search: {} }).catch(report)
        },
        ...(mayHandOver ? { a: ask, h: ask } : {}),
      }}
      actions={
        mayHandOver && (
          <AssignPicker
            label={t('analytics.live.hand-over', { name })}
            shortcut="A"
            assignedTo={item.assigned_to ?? item.team_id}
            isOpen={isOpen}
            onOpenChange={setOpen}
            onPick={(owner, receiver) => {
              handOver(item, owner, receiver)
            }}
          />
        )
      }
    />
  )
}
