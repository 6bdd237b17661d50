import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useId, useRef } from 'react'

import { can } from '../../api/shapes'
import { useMe } from '../../live/me'
import { Icon } from '../../parts/icons'
import { t } from '../../texts/texts'
import { GROUPS } from './sections'

/** The screens of a group. Nothing if the person may see none of them. */
function Group({ text, sections }: (typeof GROUPS)[number]) {
  const me = useMe()
  const id = useId()
  const shown = sections.filter(({ needs }) => can(me, ...needs))
  if (shown.length === 0) return null
  return (
    <>
      <h2 id={id} className="nav-group">
        {t(text)}
      </h2>
      <ul aria-labelledby={id}>
        {shown.map(({ to, text: name, icon }) => (
          <li key={to}>
            <Link to={to} search={{}}>
              <Icon name={icon} size={18} />
              {t(name)}
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}

/** The frame of all settings: a list of the screens in groups, and one of them. */
export function Settings() {
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <div className="area">
      <nav ref={list} className="area-nav" aria-label={t('settings.title')}>
        {GROUPS.map((group) => (
          <Group key={group.text} {...group} />
        ))}
      </nav>
      <Outlet />
    </div>
  )
}
