import { Link, useLocation, useMatchRoute, useNavigate } from '@tanstack/react-router'

import { can } from '../api/shapes'
import { useAttention } from '../live/use-attention'
import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { PlainButton } from '../parts/button'
import { Icon } from '../parts/icons'
import { PLACE_KEYS } from '../parts/keys'
import { Menu, MenuItem } from '../parts/menu'
import { useIsNarrow } from '../parts/narrow'
import { report } from '../parts/toast'
import { formatNumber } from '../texts/format'
import { t } from '../texts/texts'
import { AccountMenu } from './account-menu'
import { Notifications } from './notifications'
import { PLACES, type Place } from './places'

/** Returns the places that the person may see, each with the key that leads there after G. */
export function usePlaces() {
  const me = useMe()
  return PLACES.filter(
    ({ needs, isForOperators }) =>
      (isForOperators !== true || me.is_super_admin) &&
      (needs.length === 0 || needs.some((permission) => can(me, permission))),
  ).map((place) => ({ ...place, key: PLACE_KEYS[place.to] }))
}

/**
 * Returns the class of a color that none of the other organizations of the person has, for one that
 * chose none itself; nothing if it is the only one.
 */
function useNth(id: string): string {
  const { data } = useApi('GET /api/me/organizations', {})
  const ids = (data?.organizations ?? []).map((one) => one.organization_id).toSorted()
  return ids.length > 1 ? `one-of-several hue-${Math.max(ids.indexOf(id), 0) % 8}` : ''
}

/** The logo or the mark of the product, with the name of the organization in its color. */
function Mark() {
  const { id, name } = useMe().organization
  const nth = useNth(id)
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
      <p className="organization-name" title={name}>
        <span className="visually-hidden">{t('shell.organization.label', { name: '' })}</span>
        <bdi
          className={['organization', accent === null ? nth : 'colored'].join(' ')}
          style={accent === null ? {} : { background: accent }}
        >
          {name}
        </bdi>
      </p>
    </div>
  )
}

/** A larger number of what needs somebody is not told exactly. */
const MOST_SHOWN = 99

/** The places that a phone shows below the page. */
const BAR = new Set(['/inbox', '/contacts', '/campaigns', '/analytics'])

/** How much of the server needs somebody; nothing if all is well. */
function Attention({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <b className="badge">
      <span className="visually-hidden">{t('shell.nav.attention', { count })}</span>
      <span aria-hidden="true">{count > MOST_SHOWN ? `${MOST_SHOWN}+` : formatNumber(count)}</span>
    </b>
  )
}

/** The places for which a phone has no room, in a menu. */
function More({ places, attention }: { places: readonly Place[]; attention: number }) {
  const navigate = useNavigate()
  const isHere = useMatchRoute()
  const here = places.some(({ to }) => isHere({ to, fuzzy: true }) !== false)
  return (
    <Menu
      label={t('shell.nav.more')}
      placement="top"
      button={
        <PlainButton className="rail-link" {...(here ? { 'data-status': 'active' } : {})}>
          <Icon name="more" size={22} />
          <span>{t('shell.nav.more')}</span>
          <Attention count={attention} />
        </PlainButton>
      }
    >
      {places.map(({ to, icon, text }) => (
        <MenuItem
          key={to}
          id={to}
          icon={icon}
          label={t(text)}
          onAction={() => {
            navigate({ to, search: {} }).catch(report)
          }}
        />
      ))}
    </Menu>
  )
}

/** The navigation: a column beside the page, on phones a bar below it. */
export function Rail() {
  const places = usePlaces()
  const isNarrow = useIsNarrow()
  const { pathname } = useLocation()
  const shown = places.filter(({ to, isAside }) => (isNarrow ? BAR.has(to) : isAside !== true))
  const hidden = isNarrow ? places.filter((place) => !shown.includes(place)) : []
  const attention = useAttention()
  return (
    <nav className="rail" aria-label={t('shell.nav.main')}>
      <Mark />
      <div className="rail-links">
        {shown.map(({ to, icon, text, also }) => (
          <Link
            key={to}
            to={to}
            search={{}}
            className="rail-link"
            {...(also?.some((one) => pathname === one || pathname.startsWith(`${one}/`))
              ? { 'data-status': 'active' }
              : {})}
          >
            <Icon name={icon} size={22} />
            <span>{t(text)}</span>
            {to === '/server' && <Attention count={attention} />}
          </Link>
        ))}
        {hidden.length > 0 && <More places={hidden} attention={attention} />}
      </div>
      <Notifications />
      <AccountMenu />
    </nav>
  )
}
