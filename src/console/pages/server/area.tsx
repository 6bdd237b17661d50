import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

import { useAttention } from '../../live/use-attention'
import { useMe } from '../../live/me'
import { Icon, type IconName } from '../../parts/icons'
import { Empty } from '../../parts/state'
import { formatNumber } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'

/** A screen of the server. */
interface ServerSection {
  to:
    | '/server'
    | '/server/jobs'
    | '/server/schedule'
    | '/server/backups'
    | '/server/organizations'
    | '/server/imports'
    | '/server/moves'
    | '/server/prices'
    | '/server/settings'
  text: TextKey
  icon: IconName
}

const SECTIONS: readonly ServerSection[] = [
  { to: '/server', text: 'server.overview.title', icon: 'server' },
  { to: '/server/jobs', text: 'server.jobs.title', icon: 'list' },
  { to: '/server/schedule', text: 'server.schedule.title', icon: 'clock' },
  { to: '/server/backups', text: 'server.backups.title', icon: 'download' },
  { to: '/server/organizations', text: 'server.organizations.title', icon: 'building' },
  { to: '/server/imports', text: 'server.imports.title', icon: 'file' },
  { to: '/server/moves', text: 'server.moves.title', icon: 'transfers' },
  { to: '/server/prices', text: 'server.prices.title', icon: 'tag' },
  { to: '/server/settings', text: 'server.settings.title', icon: 'settings' },
]

/** The frame of the screens about the server: which there are, and one of them. */
export function ServerArea() {
  const { is_super_admin: isOperator } = useMe()
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  const attention = useAttention()
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  if (!isOperator)
    return (
      <main id="content" className="page">
        <Empty isPage icon="lock" title={t('server.denied')} hint={t('server.denied-hint')} />
      </main>
    )
  return (
    <div className="area">
      <nav ref={list} className="area-nav" aria-label={t('shell.nav.server')}>
        <ul>
          {SECTIONS.map(({ to, text, icon }) => (
            <li key={to}>
              <Link
                to={to}
                search={{}}
                activeOptions={{ exact: to === '/server', includeSearch: false }}
              >
                <Icon name={icon} size={18} />
                {t(text)}
                {to === '/server' && attention > 0 && (
                  <span className="chip danger" aria-hidden="true">
                    {formatNumber(attention)}
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </div>
  )
}
