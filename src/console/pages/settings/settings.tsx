import { Link, Outlet } from '@tanstack/react-router'

import { can } from '../../api/shapes'
import { useMe } from '../../live/me'
import { t } from '../../texts/texts'
import { SECTIONS } from './sections'

/** The frame of all settings: a list of the screens, and one of them. */
export function Settings() {
  const me = useMe()
  const shown = SECTIONS.filter(({ needs }) => needs === null || can(me, needs))
  return (
    <div className="settings">
      <nav className="settings-nav" aria-label={t('settings.title')}>
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
