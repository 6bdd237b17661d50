import { Link, Outlet, useLocation, useSearch } from '@tanstack/react-router'

import { useCan } from '../../live/me'
import { DateRange } from '../../parts/date-range'
import { FoundFilter, useShow } from '../../parts/list-page'
import { Switch } from '../../parts/choice'
import { Guarded } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { t } from '../../texts/texts'
import { DEFAULT_DAYS } from './span'

/** The reports, and of which things each can be limited to one. */
const TABS = {
  board: null,
  live: null,
  messages: ['account'],
  people: ['team', 'person'],
  bot: ['account'],
  campaigns: ['account'],
  costs: ['account'],
  quality: ['account', 'team'],
  mine: [],
  reports: null,
} as const satisfies Record<string, readonly ('account' | 'team' | 'person')[] | null>
type Tab = keyof typeof TABS

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
      <nav className="tabs" aria-label={t('analytics.title')}>
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
          {filters && <Filters filters={filters} />}
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

function Filters({ filters }: { filters: readonly ('account' | 'team' | 'person')[] }) {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<typeof search>()
  const kinds = { account: 'account', team: 'team', person: 'colleague' } as const
  return (
    <search className="filter-bar report-filters">
      <DateRange
        label={t('analytics.days')}
        value={search.days ?? DEFAULT_DAYS}
        onChange={(days) => {
          show({ days, point: undefined, hour: undefined })
        }}
      />
      {filters.map((filter) => (
        <FoundFilter
          key={filter}
          kind={kinds[filter]}
          label={t(`analytics.filter.${filter}`)}
          any={t(`analytics.filter.any-${filter}`)}
          value={search[filter]}
          onChange={(id) => {
            show({ [filter]: id })
          }}
        />
      ))}
      <Switch
        isSelected={search.compare !== 'no'}
        onChange={(isOn) => {
          show({ compare: isOn ? undefined : 'no' })
        }}
      >
        {t('analytics.compare')}
      </Switch>
    </search>
  )
}
