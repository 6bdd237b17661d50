import { useState } from 'react'

import { call, type Data } from '../../api/client'
import { endSession } from '../../api/session'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { Confirm } from '../../parts/dialog'
import { Item, ItemList } from '../../parts/item-list'
import { Loaded, Pager } from '../../parts/loaded'
import { Section } from '../../parts/page'
import { report } from '../../parts/toast'
import { formatDateTime } from '../../texts/format'
import { t } from '../../texts/texts'
import { useRefresh } from '../../live/use-refresh'

const BROWSERS = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\//, 'Chrome'],
  [/Safari\//, 'Safari'],
] as const
const SYSTEMS = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
] as const

type Names = readonly (readonly [RegExp, string])[]
const nameIn = (names: Names, text: string): string | null =>
  names.find(([pattern]) => pattern.test(text))?.[1] ?? null

/** Returns browser and system of a session, or the words with which its program named itself. */
function deviceOf(userAgent: string): string {
  const browser = nameIn(BROWSERS, userAgent)
  const system = nameIn(SYSTEMS, userAgent)
  return browser !== null && system !== null ? `${browser}, ${system}` : userAgent.slice(0, 80)
}

type Session = Data<'GET /api/me/sessions'>['items'][number]

interface ItemsProps {
  sessions: readonly Session[]
  onEnd: (session: Session) => void
}

/** Devices on which somebody is signed in. */
export const SessionItems = ({ sessions, onEnd }: ItemsProps) => (
  <ItemList label={t('settings.sessions.title')}>
    {sessions.map((one) => (
      <Item
        key={one.id}
        name={deviceOf(one.user_agent) || t('settings.sessions.unknown')}
        badge={
          one.is_current && <span className="chip good">{t('settings.sessions.current')}</span>
        }
        hint={t('settings.sessions.used', {
          time: formatDateTime(one.last_used_at),
          address: one.ip_address,
        })}
        actions={
          !one.is_current && (
            <Button
              onPress={() => {
                onEnd(one)
              }}
            >
              {t('settings.sessions.end')}
            </Button>
          )
        }
      />
    ))}
  </ItemList>
)

/** Asks before all sessions end, this one included. */
function EndAll({ onClose }: { onClose: () => void }) {
  return (
    <Confirm
      isOpen
      title={t('settings.sessions.end-all')}
      text={t('settings.sessions.end-all-hint')}
      action={t('settings.sessions.end-all')}
      onClose={onClose}
      onConfirm={() => {
        call('POST /api/auth/logout-all', {}).then(endSession).catch(report)
      }}
    />
  )
}

/** Where the user is signed in. */
export function Sessions() {
  const [page, setPage] = useState(1)
  const [isEnding, setEnding] = useState(false)
  const refresh = useRefresh('GET /api/me/sessions')
  const result = useApi('GET /api/me/sessions', { query: { page, limit: 20 } })
  return (
    <Section
      title={t('settings.sessions.title')}
      hint={t('settings.sessions.hint')}
      actions={
        <Button
          onPress={() => {
            setEnding(true)
          }}
        >
          {t('settings.sessions.end-all')}
        </Button>
      }
    >
      <Loaded result={result} rows={2}>
        {({ items, total_pages: pages }) => (
          <>
            <SessionItems
              sessions={items}
              onEnd={({ id }) => {
                call('DELETE /api/me/sessions/{id}', { params: { id } }).then(refresh).catch(report)
              }}
            />
            <Pager page={page} pages={pages ?? 1} onPage={setPage} />
          </>
        )}
      </Loaded>
      {isEnding && (
        <EndAll
          onClose={() => {
            setEnding(false)
          }}
        />
      )}
    </Section>
  )
}
