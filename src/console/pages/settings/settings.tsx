import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

import { can } from '../../api/shapes'
import { useMe } from '../../live/me'
import { t } from '../../texts/texts'
import { SECTIONS } from './sections'

/** The frame of all settings: a list of the screens, and one of them. */
export function Settings() {
  const me = useMe()
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  const shown = SECTIONS.filter(({ needs }) => needs === null || can(me, needs))
  return (
    <div className="settings">
      <nav ref={list} className="settings-nav" aria-label={t('settings.title')}>
        {shown.map(({ to, text }) => (
          <Link key={to} to={to} search={{}}>
            {t(text)}
          </Link>
        ))}
      </nav>
      <Outlet />
    </div>
  )
}
