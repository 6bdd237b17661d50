import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import type { Data } from '../../api/client'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Button } from '../../parts/button'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item, ItemList } from '../../parts/item-list'
import { useShow } from '../../parts/list-page'
import { Guarded, Loaded, Pager } from '../../parts/loaded'
import { Page } from '../../parts/page'
import { SearchBox } from '../../parts/search-box'
import { Empty } from '../../parts/state'
import { report } from '../../parts/toast'
import { useSearchText } from '../../parts/use-search-text'
import { formatDate } from '../../texts/format'
import { t } from '../../texts/texts'
import { enter } from './enter'

/** An organization as who runs the server sees it. */
export type ListedOrganization = Data<'GET /api/organizations'>['organizations'][number]

const PAGE = 50
/** Pause in typing after which is searched, milliseconds. */
const PAUSE_MS = 300

/** What an organization does besides working; nothing if it works. */
export function OrganizationState({ organization }: { organization: ListedOrganization }) {
  const { state = 'active' } = organization
  if (state === 'active') return null
  return (
    <span className={`chip ${state === 'deleting' || state === 'erasing' ? 'danger' : 'warn'}`}>
      {t(`server.organization-state.${state}`)}
    </span>
  )
}

/** What is to be said of an organization in one line. */
function hintOf({ created_at: at, deletes_at: deletes, moved_to: to }: ListedOrganization): string {
  return [
    t('server.organizations.since', { date: formatDate(at) }),
    deletes !== undefined && t('server.organizations.deletes', { date: formatDate(deletes) }),
    to !== undefined && t('server.organizations.moved-to', { address: to }),
  ]
    .filter((one) => one !== false)
    .join(' · ')
}

/** All organizations of the server. */
export function Organizations() {
  const { q = '', page = 1 } = useSearch({ from: '/server' })
  const mayRead = useCan('organizations:read')
  const [isNew, setNew] = useState(false)
  const query = { all: true, page, limit: PAGE, ...(q === '' ? {} : { search: q }) }
  const result = useApi('GET /api/organizations', { query }, mayRead)
  const show = useShow<{ q?: string | undefined; page?: number | undefined }>()
  const [text, setText] = useSearchText(q, PAUSE_MS, (wanted) => {
    show({ q: wanted === '' ? undefined : wanted, page: undefined })
  })
  return (
    <Page
      title={t('server.organizations.title')}
      hint={t('server.organizations.hint')}
      actions={
        <Button
          look="primary"
          icon="plus"
          onPress={() => {
            setNew(true)
          }}
        >
          {t('server.organizations.new')}
        </Button>
      }
    >
      <Guarded needs="organizations:read">
        <search className="filter-bar">
          <SearchBox label={t('server.organizations.find')} value={text} onChange={setText} />
        </search>
        <Loaded result={result} rows={6}>
          {({ organizations, total = 0 }) => (
            <>
              {organizations.length === 0 && <Empty icon="search" title={t('search.none')} />}
              <ItemList label={t('server.organizations.title')}>
                {organizations.map((one) => (
                  <OrganizationItem key={one.id} organization={one} />
                ))}
              </ItemList>
              <Pager
                page={page}
                pages={Math.ceil(total / PAGE)}
                onPage={(to) => {
                  show({ page: to })
                }}
              />
            </>
          )}
        </Loaded>
        {isNew && (
          <NewOrganization
            onClose={() => {
              setNew(false)
            }}
          />
        )}
      </Guarded>
    </Page>
  )
}

function OrganizationItem({ organization }: { organization: ListedOrganization }) {
  const { id, name, state = 'active' } = organization
  const navigate = useNavigate()
  return (
    <Item
      name={name}
      link={
        <Link
          to="/server/organizations/$organizationId"
          params={{ organizationId: id }}
          search={{}}
        >
          <bdi>{name}</bdi>
        </Link>
      }
      badge={<OrganizationState organization={organization} />}
      hint={hintOf(organization)}
      actions={
        state === 'active' && (
          <Button
            look="quiet"
            onPress={() => {
              enter(id, () => navigate({ to: '/inbox', search: {} })).catch(report)
            }}
          >
            {t('server.organizations.enter')}
          </Button>
        )
      }
    />
  )
}

function NewOrganization({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate()
  return (
    <FormDialog
      title={t('server.organizations.create')}
      submit={t('server.organizations.create')}
      onClose={onClose}
      onSave={async (data) => {
        const body = { name: textOf(data, 'name').trim() }
        const { id } = await callOnce('POST /api/organizations', { body })
        const params = { organizationId: id }
        await navigate({ to: '/server/organizations/$organizationId', params, search: {} })
      }}
    >
      <p>{t('server.organizations.create-hint')}</p>
      <TextField
        name="name"
        label={t('server.organizations.name')}
        isRequired
        maxLength={255}
        autoFocus
      />
    </FormDialog>
  )
}
