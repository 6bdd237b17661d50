import { Link, type LinkProps } from '@tanstack/react-router'

import type { PermissionKey } from '../api/shapes'
import { can } from '../api/shapes'
import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { Icon, type IconName } from '../parts/icons'
import { t, type TextKey } from '../texts/texts'
import { AccountMenu } from './account-menu'
import { Notifications } from './notifications'

interface Place {
  to: NonNullable<LinkProps['to']>
  icon: IconName
  text: TextKey
  /** The key that leads there after G. */
  key: string
  /** Permissions of which a user needs one to see it; none for everybody. */
  needs: PermissionKey[]
}

/** The places of the console that exist, in their order. */
export const PLACES: readonly Place[] = [
  { to: '/inbox', icon: 'inbox', text: 'shell.nav.inbox', key: 'i', needs: ['messages:read'] },
  { to: '/search', icon: 'search', text: 'shell.nav.search', key: 'f', needs: ['messages:read'] },
  {
    to: '/transfers',
    icon: 'transfers',
    text: 'shell.nav.transfers',
    key: 't',
    needs: ['transfers:read'],
  },
  { to: '/settings', icon: 'settings', text: 'shell.nav.settings', key: 's', needs: [] },
]

/** The logo or the mark of the product, with the name of the organization in its color. */
function Mark() {
  const { name } = useMe().organization
  const branding = useApi('GET /api/organizations/branding', {}).data
  const accent = branding?.accent ?? null
  const logo = branding?.logo_url ?? null
  return (
    <div className="rail-brand">
      {logo === null ? (
        <span className="brand-mark" aria-hidden="true" />
      ) : (
        <img className="brand-mark of-organization" src={logo} alt="" />
      )}
      <p
        className={accent === null ? 'organization' : 'organization colored'}
        style={accent === null ? {} : { background: accent }}
        title={name}
      >
        <span className="visually-hidden">{t('shell.organization.label', { name: '' })}</span>
        <bdi>{name}</bdi>
      </p>
    </div>
  )
}

/** The navigation: a column beside the page, on phones a bar below it. */
export function Rail() {
  const me = useMe()
  const places = PLACES.filter(
    ({ needs }) => needs.length === 0 || needs.some((permission) => can(me, permission)),
  )
  return (
    <nav className="rail" aria-label={t('shell.nav.main')}>
      <Mark />
      <div className="rail-links">
        {places.map(({ to, icon, text }) => (
          <Link key={to} to={to} search={{}} className="rail-link">
            <Icon name={icon} size={22} />
            <span>{t(text)}</span>
          </Link>
        ))}
      </div>
      <Notifications />
      <AccountMenu />
    </nav>
  )
}
