import { IconButton } from '../../../parts/button'
import { Checkbox } from '../../../parts/choice'
import { FoundSelect } from '../../../parts/found-select'
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
  name: 'assigned' | 'team' | 'account' | 'tags' | 'campaign',
  value: string | null,
): Search {
  const { [name]: _, ...rest } = search
  return value === null ? rest : { ...rest, [name]: value }
}

/** Whether the list is filtered, or in an order that somebody chose. */
const isFiltered = ({ assigned, team, account, tags, campaign, unread, sort }: Search): boolean =>
  [assigned, team, account, tags, campaign, unread, sort].some((one) => one !== undefined)

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
  const nobody = { id: 'none', label: t('inbox.assign.nobody') }
  const fields = [
    { name: 'assigned', kind: 'colleague', first: [nobody] },
    { name: 'team', kind: 'team', first: [] },
    { name: 'account', kind: 'account', first: [] },
    { name: 'tags', kind: 'tag', first: [] },
    { name: 'campaign', kind: 'campaign', first: [] },
  ] as const
  return fields.map(({ name, kind, first }) => (
    <FoundSelect
      key={name}
      kind={kind}
      isHiddenIfEmpty
      label={t(`inbox.filter.${name === 'tags' ? 'tag' : name}`)}
      value={search[name] ?? ANY}
      first={[{ id: ANY, label: t('inbox.filter.any') }, ...first]}
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
