import { useNavigate, useSearch } from '@tanstack/react-router'

import { FoundSelect } from '../../parts/found-select'
import { Select } from '../../parts/select'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'
import { DIRECTIONS, KINDS, SPANS, TYPES, type MessageFilter } from './filter'

const ANY = 'any'

/** The fields that narrow a search of messages. */
export function Filters() {
  const search = useSearch({ from: '/search' })
  const navigate = useNavigate()
  const choose = (name: keyof MessageFilter, id: string): void => {
    const { [name]: _, ...rest } = search
    navigate({
      to: '/search',
      search: id === ANY ? rest : { ...rest, [name]: id },
      replace: true,
    }).catch(report)
  }
  const any = { id: ANY, label: t('inbox.filter.any') }
  const { kind } = search
  const hasTypes = kind === undefined || kind === 'messages'
  const isOfMessages = hasTypes || kind === 'files'
  return (
    <div className="search-filters">
      <Select
        label={t('search.filter.kind')}
        choices={[any, ...KINDS.map((id) => ({ id, label: t(`search.kind.${id}`) }))]}
        value={search.kind ?? ANY}
        onChange={(id) => {
          choose('kind', id)
        }}
      />
      {isOfMessages && (
        <>
          <FoundSelect
            kind="account"
            isHiddenIfEmpty
            label={t('inbox.filter.account')}
            first={[any]}
            value={search.account ?? ANY}
            onChange={(id) => {
              choose('account', id)
            }}
          />
          <Select
            label={t('search.filter.direction')}
            choices={[any, ...DIRECTIONS.map((id) => ({ id, label: t(`search.filter.${id}`) }))]}
            value={search.direction ?? ANY}
            onChange={(id) => {
              choose('direction', id)
            }}
          />
          {hasTypes && (
            <Select
              label={t('search.filter.type')}
              choices={[any, ...TYPES.map((id) => ({ id, label: t(`search.type.${id}`) }))]}
              value={search.type ?? ANY}
              onChange={(id) => {
                choose('type', id)
              }}
            />
          )}
          <Select
            label={t('search.filter.since')}
            choices={[
              any,
              ...SPANS.map((id) => ({ id, label: t('search.filter.days', { days: Number(id) }) })),
            ]}
            value={search.since ?? ANY}
            onChange={(id) => {
              choose('since', id)
            }}
          />
        </>
      )}
    </div>
  )
}
