import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'

import { can } from '../../api/shapes'
import { useMe } from '../../live/me'
import { t } from '../../texts/texts'
import { Icon } from '../icons'
import { CONTACT_LISTS } from './lists'

/** The frame of the lists about people: which there are, and one of them. */
export function ContactArea({ children }: { children: ReactNode }) {
  const me = useMe()
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  const shown = CONTACT_LISTS.filter(({ needs }) => can(me, needs))
  return (
    <div className="area">
      <nav ref={list} className="area-nav" aria-label={t('contacts.title')}>
        <ul>
          {shown.map(({ to, text, icon }) => (
            <li key={to}>
              <Link to={to} search={{}} activeOptions={{ exact: true, includeSearch: false }}>
                <Icon name={icon} size={18} />
                {t(text)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </div>
  )
}
