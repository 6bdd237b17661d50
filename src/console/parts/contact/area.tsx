import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'

import { can } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'
import { Icon } from '../icons'
import { CONTACT_LISTS, DUPLICATES } from './lists'

/** The frame of the lists about people: which there are, and one of them. */
export function ContactArea({ children }: { children: ReactNode }) {
  const me = useMe()
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  const pairs =
    useApi('GET /api/contacts/duplicates', { query: { limit: 1 } }, useCan('contacts:update')).data
      ?.total ?? 0
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname, pairs])
  const shown = CONTACT_LISTS.filter(
    ({ to, needs }) => can(me, needs) && (to !== DUPLICATES || pairs > 0 || pathname === to),
  )
  return (
    <div className="area">
      <nav ref={list} className="area-nav" aria-label={t('contacts.title')}>
        <ul>
          {shown.map(({ to, text, icon }) => (
            <li key={to}>
              <Link to={to} search={{}} activeOptions={{ exact: true, includeSearch: false }}>
                <Icon name={icon} size={18} />
                {t(text)}
                {to === DUPLICATES && pairs > 0 && (
                  <span className="muted small">{formatNumber(pairs)}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {children}
    </div>
  )
}
