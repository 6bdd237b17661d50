import { useCan } from '../../../live/me'
import { useApi } from '../../../live/query'
import { IconButton } from '../../../parts/button'
import { Checkbox } from '../../../parts/choice'
import { Popover } from '../../../parts/popover'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import type { Search } from '../views'

interface Props {
  search: Search
  onSearch: (search: Search) => void
}

const ANY = 'any'

/** Returns the search with one filter changed; `null` removes it. */
function withFilter(
  search: Search,
  name: 'team' | 'account' | 'tags',
  value: string | null,
): Search {
  const { [name]: _, ...rest } = search
  return value === null ? rest : { ...rest, [name]: value }
}

/** The filters of the list: unread, team, number and tag. */
export function Filters({ search, onSearch }: Props) {
  const isFiltered = [search.team, search.account, search.tags, search.unread].some(Boolean)
  return (
    <Popover
      label={t('inbox.filter.title')}
      button={
        <span className={isFiltered ? 'dotted' : ''}>
          <IconButton icon="filter" size={18} label={t('inbox.filter.title')} />
        </span>
      }
    >
      <div className="form filters">
        <Checkbox
          isSelected={search.unread === true}
          onChange={(isOn) => {
            const { unread: _, ...rest } = search
            onSearch(isOn ? { ...rest, unread: true } : rest)
          }}
        >
          {t('inbox.filter.unread')}
        </Checkbox>
        <FilterFields search={search} onSearch={onSearch} />
      </div>
    </Popover>
  )
}

function FilterFields({ search, onSearch }: Props) {
  const teams = useApi('GET /api/teams', { query: { limit: 100 } }, useCan('teams:read'))
  const tags = useApi('GET /api/tags', { query: { limit: 100 } }, useCan('tags:read'))
  const accounts = useApi('GET /api/accounts', { query: { limit: 100 } }, useCan('accounts:read'))
  const fields = [
    { name: 'team', label: t('inbox.filter.team'), items: teams.data?.items ?? [] },
    { name: 'account', label: t('inbox.filter.account'), items: accounts.data?.items ?? [] },
    { name: 'tags', label: t('inbox.filter.tag'), items: tags.data?.items ?? [] },
  ] as const
  return fields
    .filter(({ items }) => items.length > 0)
    .map(({ name, label, items }) => (
      <Select
        key={name}
        label={label}
        value={search[name] ?? ANY}
        choices={[
          { id: ANY, label: t('inbox.filter.any') },
          ...items.map(({ id, name: word }) => ({ id, label: word })),
        ]}
        onChange={(id) => {
          onSearch(withFilter(search, name, id === ANY ? null : id))
        }}
      />
    ))
}
