import { Link, useLocation } from '@tanstack/react-router'
import { useEffect, useRef, type ComponentProps, type ReactNode } from 'react'

import { can, type PermissionKey } from '../api/shapes'
import { useMe } from '../live/me'
import { t, type TextKey } from '../texts/texts'
import { Icon, type IconName } from './icons'

/** A screen of an area. */
export interface AreaScreen {
  to: NonNullable<ComponentProps<typeof Link>['to']>
  text: TextKey
  icon: IconName
  /** All that it needs. */
  needs: readonly PermissionKey[]
  /** Whether it is open at its own address only, not at those below. */
  isExact?: boolean
}

/** The frame of screens that belong together: a list of those that the person may see, and one. */
export function Area({
  title,
  screens,
  children,
}: {
  title: string
  screens: readonly AreaScreen[]
  children: ReactNode
}) {
  const me = useMe()
  const { pathname } = useLocation()
  const list = useRef<HTMLElement>(null)
  useEffect(() => {
    // on phones the list is longer than the page is wide
    list.current?.querySelector('[data-status=active]')?.scrollIntoView({ block: 'nearest' })
  }, [pathname])
  return (
    <div className="area">
      <nav ref={list} className="area-nav" aria-label={title}>
        <ul>
          {screens
            .filter(({ needs }) => can(me, ...needs))
            .map(({ to, text, icon, isExact = false }) => (
              <li key={to}>
                <Link to={to} search={{}} activeOptions={{ exact: isExact, includeSearch: false }}>
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
