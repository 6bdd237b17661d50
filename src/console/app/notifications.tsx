import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'

import { call } from '../api/client'
import { saveFile } from '../api/save-file'
import type { Notification } from '../api/shapes'
import { useLine } from '../live/line'
import { useApi } from '../live/query'
import { FIRST } from '../live/start'
import { Button, PlainButton } from '../parts/button'
import { Icon } from '../parts/icons'
import { Loaded } from '../parts/loaded'
import { useIsNarrow } from '../parts/narrow'
import { Popover } from '../parts/popover'
import { Empty } from '../parts/state'
import { notify, report } from '../parts/toast'
import { formatShort } from '../texts/format'
import { t } from '../texts/texts'

/** Pages of the console that exist; other links lead nowhere here. */
const KNOWN =
  /^\/(?:inbox|search|(?:contacts|campaigns|templates)\/[0-9a-f-]{36}|transfers|welcome|settings\/(?:profile|numbers|people|teams|tags))(?:[/?]|$)/

/** The bell with unread notifications. New ones also appear as a note. */
export function Notifications() {
  const result = useApi('GET /api/me/notifications', FIRST.notifications)
  const { listen } = useLine()
  useEffect(
    () =>
      listen(({ type, payload }) => {
        if (type === 'notification:new') notify(String(payload['title']))
      }),
    [listen],
  )
  const unread = result.data?.total ?? 0
  const isNarrow = useIsNarrow()
  const label = t('shell.notifications.title')
  return (
    <Popover
      label={label}
      placement={isNarrow ? 'top' : 'end bottom'}
      button={
        <PlainButton className="bell icon-button">
          <Icon name="bell" size={22} />
          <span className="visually-hidden">{label}</span>
          {unread > 0 && <span className="badge">{Math.min(unread, 99)}</span>}
        </PlainButton>
      }
    >
      {(close) => (
        <div className="notifications">
          <h2>{label}</h2>
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

function Items({ items, onOpen }: { items: Notification[]; onOpen: () => void }) {
  const navigate = useNavigate()
  const markRead = useMarkRead()
  if (items.length === 0) return <Empty icon="bell" title={t('shell.notifications.empty')} />
  const open = ({ id, link, title }: Notification): void => {
    markRead([id])
    onOpen()
    const exported = /^\/exports\/([0-9a-f-]{36})$/.exec(link ?? '')?.[1]
    if (exported !== undefined) {
      const wish = { params: { id: exported } }
      saveFile('GET /api/exports/{id}/download', wish, fileIn(title)).catch(report)
    }
    const imported = /^\/imports\/([0-9a-f-]{36})$/.exec(link ?? '')?.[1]
    if (imported !== undefined)
      navigate({ to: '/contacts/import/$importId', params: { importId: imported } }).catch(report)
    if (link !== null && KNOWN.test(link)) navigate({ to: link }).catch(report)
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
              <b dir="auto">{item.title}</b>
              <span dir="auto">{item.body}</span>
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
