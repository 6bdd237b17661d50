import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useEffect, useRef, useState } from 'react'

import { call } from '../api/client'
import { saveFile } from '../api/save-file'
import type { Notification, Work } from '../api/shapes'
import { useLine } from '../live/line'
import { useCan } from '../live/me'
import { useApi } from '../live/query'
import { FIRST } from '../live/start'
import { Button, PlainButton } from '../parts/button'
import { Icon } from '../parts/icons'
import { Loaded } from '../parts/loaded'
import { useIsNarrow } from '../parts/narrow'
import { Popover } from '../parts/popover'
import { Empty, Skeleton } from '../parts/state'
import { styled } from '../parts/styled'
import { notify, notifyOf, report } from '../parts/toast'
import tasksStyle from '../styles/late/tasks.css'
import { formatShort } from '../texts/format'
import { t } from '../texts/texts'
import { loadNoticeWords, noticeWords } from './notice-words'
import { isKnownLink, useOpenLink } from './open-link'
import { endOfWork } from './work-words'
import { late } from '../parts/late'

const loadUnderWay = styled(() => import('./under-way'), tasksStyle)
const UnderWay = late(async () => (await loadUnderWay()).UnderWay)

/** Tells of new notifications, and once of work that ended, in the words of the person. */
function useAnnouncements(): void {
  const { listen } = useLine()
  const openLink = useOpenLink()
  const told = useRef(new Set<unknown>())
  useEffect(
    () =>
      listen(({ type, payload }) => {
        const end = type === 'work:progress' ? endOfWork(payload as Work) : null
        if (end !== null) {
          told.current.add(payload['link'])
          notify(end)
        }
        const isNews = type === 'notification:new' && !told.current.delete(payload['link'])
        if (!isNews) return
        loadNoticeWords()
          .catch(report)
          .finally(() => {
            const { link } = payload as Notification
            const { title } = noticeWords(payload as Notification)
            if (isKnownLink(link))
              notifyOf(title, () => {
                openLink(link)
              })
            else notify(title)
          })
      }),
    [listen, openLink],
  )
}

/** The bell with work under way and unread notifications. What is new also appears as a note. */
export function Notifications() {
  const result = useApi('GET /api/me/notifications', FIRST.notifications)
  const work = useApi('GET /api/me/work', FIRST.work).data?.items ?? []
  useAnnouncements()
  const unread = result.data?.total ?? 0
  const isNarrow = useIsNarrow()
  const label = t('shell.notifications.title')
  return (
    <Popover
      label={label}
      placement={isNarrow ? 'top' : 'end bottom'}
      button={
        <PlainButton className={work.length > 0 ? 'bell icon-button busy' : 'bell icon-button'}>
          <Icon name="bell" size={22} />
          <span className="visually-hidden">
            {label}
            {work.length > 0 && ` · ${t('shell.work.heading')}`}
          </span>
          {unread > 0 && <span className="badge">{Math.min(unread, 99)}</span>}
        </PlainButton>
      }
    >
      {(close) => (
        <div className="notifications">
          <h2>{label}</h2>
          {work.length > 0 && (
            <Suspense fallback={<Skeleton rows={work.length} />}>
              <UnderWay items={work} onOpen={close} />
            </Suspense>
          )}
          <Loaded result={result} rows={3}>
            {({ items }) => <Items items={items} onOpen={close} />}
          </Loaded>
        </div>
      )}
    </Popover>
  )
}

/** The name of the file that a notification is about. */
const fileIn = (title: string): string => /[a-z]+\.(?:csv|jsonl)/.exec(title)?.[0] ?? 'export.csv'

/** Returns a function that marks notifications as read; all of them without IDs. */
function useMarkRead(): (ids?: string[]) => void {
  const client = useQueryClient()
  return (ids) => {
    call('POST /api/me/notifications/read', { body: ids ? { ids } : {} })
      .then(() => client.invalidateQueries({ queryKey: ['GET /api/me/notifications'] }))
      .catch(report)
  }
}

function Words({ item }: { item: Notification }) {
  const { title, body } = noticeWords(item)
  return (
    <>
      <b dir="auto">{title}</b>
      <span dir="auto">{body}</span>
    </>
  )
}

function Items({ items, onOpen }: { items: Notification[]; onOpen: () => void }) {
  const [, setLoaded] = useState(false)
  useEffect(() => {
    loadNoticeWords()
      .then(() => {
        setLoaded(true)
      })
      .catch(report)
  }, [])
  const openLink = useOpenLink()
  const markRead = useMarkRead()
  const mayExport = useCan('contacts:export')
  if (items.length === 0) return <Empty icon="bell" title={t('shell.notifications.empty')} />
  const open = ({ id, link, title }: Notification): void => {
    markRead([id])
    onOpen()
    const exported = /^\/exports\/([0-9a-f-]{36})$/.exec(link ?? '')?.[1]
    if (exported !== undefined && mayExport) {
      const wish = { params: { id: exported } }
      saveFile('GET /api/exports/{id}/download', wish, fileIn(title)).catch(report)
    }
    if (link !== null) openLink(link)
  }
  return (
    <>
      <ul>
        {items.map((item) => (
          <li key={item.id}>
            <PlainButton
              className={`notification ${item.severity}`}
              onPress={() => {
                open(item)
              }}
            >
              <Words item={item} />
              <small className="muted">{formatShort(item.created_at)}</small>
            </PlainButton>
          </li>
        ))}
      </ul>
      <footer className="actions">
        <Button
          onPress={() => {
            markRead()
          }}
        >
          {t('shell.notifications.read-all')}
        </Button>
      </footer>
    </>
  )
}
