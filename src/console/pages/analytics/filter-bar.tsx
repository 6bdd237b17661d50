import { useSearch } from '@tanstack/react-router'

import { Switch } from '../../parts/choice'
import { DateRange } from '../../parts/date-range'
import type { Kind } from '../../parts/found-select'
import { ChoiceFilter, FoundFilter, useShow } from '../../parts/list-page'
import { formatList } from '../../texts/format'
import { t } from '../../texts/texts'
import { codeText } from './code-text'
import { TABS, unusedBy, type FilterName, type Tab } from './filters'
import { DEFAULT_DAYS } from './span'

/** Who sends messages, as the API calls it. */
const SOURCES = ['agent', 'api', 'chatbot', 'campaign', 'phone_app', 'platform_agent'] as const

/** What is found by its name for each filter. */
const KINDS: Record<Exclude<FilterName, 'source'>, Kind> = {
  ...{ account: 'account', team: 'team', person: 'colleague', tag: 'tag' },
  ...{ campaign: 'campaign', flow: 'botFlow' },
}

/** The days and the filters, which all reports share. What does not limit a report is said. */
export function FilterBar({ tab }: { tab: Tab }) {
  const search = useSearch({ from: '/analytics' })
  const show = useShow<typeof search>()
  const filters: readonly FilterName[] | null = TABS[tab]
  if (filters === null) return null
  const unused = unusedBy(tab, search)
  const choose = (filter: FilterName) => (id: string | undefined) => {
    show({ [filter]: id, page: undefined })
  }
  return (
    <>
      <search className="filter-bar report-filters">
        <DateRange
          label={t('analytics.days')}
          value={search.days ?? DEFAULT_DAYS}
          onChange={(days) => {
            show({ days, point: undefined, hour: undefined, page: undefined })
          }}
        />
        {filters.map((filter) => (
          <Filter key={filter} filter={filter} value={search[filter]} onChange={choose(filter)} />
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
      {unused.length > 0 && (
        <p className="muted small" role="note">
          {t('analytics.filter.unused', {
            filters: formatList(unused.map((name) => t(`analytics.filter.${name}`))),
          })}
        </p>
      )}
    </>
  )
}

interface FilterProps {
  filter: FilterName
  value: string | undefined
  onChange: (value: string | undefined) => void
}

function Filter({ filter, value, onChange }: FilterProps) {
  const words = {
    label: t(`analytics.filter.${filter}`),
    any: t(`analytics.filter.any-${filter}`),
    value,
    onChange,
  }
  if (filter === 'source')
    return (
      <ChoiceFilter
        {...words}
        choices={SOURCES.map((id) => ({ id, label: codeText('source', id) }))}
      />
    )
  return <FoundFilter {...words} kind={KINDS[filter]} />
}
