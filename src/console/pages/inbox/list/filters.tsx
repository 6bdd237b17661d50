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
  name: 'assigned' | 'team' | 'account' | 'tags',
  value: string | null,
): Search {
  const { [name]: _, ...rest } = search
  return value === null ? rest : { ...rest, [name]: value }
}

/** Whether the list is filtered, or in an order that somebody chose. */
const isFiltered = ({ assigned, team, account, tags, unread, sort }: Search): boolean =>
  [assigned, team, account, tags, unread, sort].some((one) => one !== undefined)

/** The filters of the list, and its order. */
export function Filters({ search, onSearch }: Props) {
  return (
    <Popover
      label={t('inbox.filter.title')}
      button={
        <span className={isFiltered(search) ? 'dotted' : ''}>
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
        <Order search={search} onSearch={onSearch} />
      </div>
    </Popover>
  )
}

function FilterFields({ search, onSearch }: Props) {
  const teams = useApi('GET /api/teams', { query: { limit: 100 } }, useCan('teams:read'))
  const tags = useApi('GET /api/tags', { query: { limit: 100 } }, useCan('tags:read'))
  const accounts = useApi('GET /api/accounts', { query: { limit: 100 } }, useCan('accounts:read'))
  const people = useApi('GET /api/colleagues', { query: { limit: 100 } })
  const colleagues = [
    { id: 'none', name: t('inbox.assign.nobody') },
    ...(people.data?.items ?? []).map(({ id, full_name: name }) => ({ id, name })),
  ]
  const fields = [
    { name: 'assigned', label: t('inbox.filter.assigned'), items: colleagues },
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

const NEWEST = 'last_message_at'

function Order({ search, onSearch }: Props) {
  return (
    <Select
      label={t('inbox.filter.sort')}
      value={search.sort ?? NEWEST}
      choices={[
        { id: NEWEST, label: t('inbox.filter.newest') },
        { id: 'oldest_unanswered', label: t('inbox.filter.waiting') },
      ]}
      onChange={(id) => {
        const { sort: _, ...rest } = search
        onSearch(id === 'oldest_unanswered' ? { ...rest, sort: id } : rest)
      }}
    />
  )
}
