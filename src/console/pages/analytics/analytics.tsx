import { Link, Outlet, useLocation, useSearch } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'

import { useCan } from '../../live/me'
import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'
import { FilterBar } from './filter-bar'
import { TABS, type Tab } from './filters'

/** The frame of all reports: their tabs, and the days and filters that all of them share. */
export function Analytics() {
  const { pathname } = useLocation()
  const { point: _, hour: _hour, by_team: _team, ...search } = useSearch({ from: '/analytics' })
  const mayRead = useCan('analytics:read')
  const mayAssign = useCan('transfers:assign')
  const all = Object.keys(TABS) as Tab[]
  const mayOpen = (one: Tab): boolean => mayRead || one === 'mine' || (one === 'live' && mayAssign)
  const tabs = all.filter(mayOpen)
  const tab = all.find((one) => pathname.endsWith(`/${one}`)) ?? 'mine'
  const filters = TABS[tab]
  const nav = useRef<HTMLElement>(null)
  useEffect(() => {
    const chosen = nav.current?.querySelector('[aria-current=page]')
    chosen?.scrollIntoView({ block: 'nearest', inline: 'center' })
  }, [tab])
  return (
    <Page
      title={t('analytics.title')}
      isWide
      actions={
        mayRead &&
        filters &&
        tab !== 'mine' && (
          <Link
            className="button plain"
            to="/analytics/reports"
            search={{ ...search, report: tab }}
          >
            {t('analytics.mail')}
          </Link>
        )
      }
    >
      <nav ref={nav} className="tabs" aria-label={t('analytics.title')}>
        {tabs.map((one) => (
          <Link
            key={one}
            to={`/analytics/${one}`}
            search={{
              ...search,
              figure: undefined,
              by: undefined,
              report: undefined,
              page: undefined,
            }}
            aria-current={one === tab ? 'page' : undefined}
          >
            {t(`analytics.tab.${one}`)}
          </Link>
        ))}
      </nav>
      {mayOpen(tab) ? (
        <>
          <FilterBar tab={tab} />
          <div className="report">
            <Outlet />
          </div>
        </>
      ) : (
        <Guarded needs="analytics:read">{null}</Guarded>
      )}
    </Page>
  )
}
