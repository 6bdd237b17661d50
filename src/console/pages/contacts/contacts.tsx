import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { nameOf } from '../../parts/contact/name'
import { FoundFilter, ListPage, useShow } from '../../parts/list-page'
import { t } from '../../texts/texts'
import { columns } from './columns'
import { NewContact } from './new-contact'

/** Everybody who wrote or was written to, as far as the user sees them. */
export function Contacts() {
  const search = useSearch({ from: '/contacts' })
  const show = useShow<typeof search>()
  const [isAdding, setAdding] = useState(false)
  const mayAdd = useCan('contacts:create')
  const { sort = 'last_message_at', order = 'desc' } = search
  return (
    <ListPage
      title={t('contacts.title')}
      route="GET /api/contacts"
      needs="contacts:read"
      icon="contacts"
      find={t('inbox.list.search')}
      words={search.q}
      filter={{ tags: search.tag, assigned_to: search.owner }}
      columns={columns()}
      nameOf={nameOf}
      sort={{
        ...{ by: sort, order },
        onSort: ({ by, ...rest }) => {
          show({ sort: by === 'name' ? by : undefined, ...rest })
        },
      }}
      empty={t('contacts.empty')}
      emptyHint={t('contacts.empty-hint')}
      actions={
        mayAdd && (
          <Button
            look="primary"
            icon="plus"
            onPress={() => {
              setAdding(true)
            }}
          >
            {t('contacts.new')}
          </Button>
        )
      }
      filters={<Filters />}
    >
      {isAdding && (
        <NewContact
          onClose={() => {
            setAdding(false)
          }}
        />
      )}
    </ListPage>
  )
}

function Filters() {
  const { tag, owner } = useSearch({ from: '/contacts' })
  const show = useShow<{ tag?: string | undefined; owner?: string | undefined }>()
  return (
    <>
      <FoundFilter
        kind="tag"
        isNeeded={useCan('tags:read')}
        label={t('inbox.filter.tag')}
        any={t('contacts.any-tag')}
        value={tag}
        onChange={(id) => {
          show({ tag: id })
        }}
      />
      <FoundFilter
        kind="colleague"
        label={t('contacts.owner')}
        any={t('contacts.any-owner')}
        first={[{ id: 'none', label: t('inbox.assign.nobody') }]}
        value={owner}
        onChange={(id) => {
          show({ owner: id })
        }}
      />
    </>
  )
}
