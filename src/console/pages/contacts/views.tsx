import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { View } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { IconButton } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { Confirm } from '../../parts/dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Icon } from '../../parts/icons'
import { useShow } from '../../parts/list-page'
import { Menu, MenuItem } from '../../parts/menu'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

/** What the address of the list says. */
interface ContactsSearch {
  q?: string | undefined
  tag?: string | undefined
  owner?: string | undefined
  segment?: string | undefined
  filter?: Record<string, unknown> | undefined
  sort?: 'name' | undefined
  order?: 'asc' | 'desc' | undefined
}

/** What a view keeps of the address: everything but conditions, which are a segment's. */
const filterOf = ({ q, tag, owner, segment, sort, order }: ContactsSearch): View['filter'] => ({
  ...(q === undefined ? {} : { search: q }),
  ...(tag === undefined ? {} : { tags: tag }),
  ...(owner === undefined ? {} : { assigned_to: owner }),
  ...(segment === undefined ? {} : { segment_id: segment }),
  ...(sort === undefined ? {} : { sort }),
  ...(order === undefined ? {} : { order }),
})

const ADDRESS = {
  search: 'q',
  tags: 'tag',
  assigned_to: 'owner',
  segment_id: 'segment',
  sort: 'sort',
  order: 'order',
} as const

/** What the address says to show a view; the route checks it. */
const searchOf = ({ filter }: View): ContactsSearch =>
  Object.fromEntries(
    Object.entries(ADDRESS).flatMap(([name, word]) =>
      filter[name] === undefined ? [] : [[word, filter[name]]],
    ),
  )

const isSame = (view: View, search: ContactsSearch): boolean =>
  search.filter === undefined &&
  Object.values(ADDRESS).every((word) => searchOf(view)[word] === search[word])

const useViews = (isNeeded: boolean) =>
  useApi('GET /api/views', { query: { resource: 'contacts', limit: 50 } }, isNeeded)

/** Whether there are saved views. */
export const useHasViews = (): boolean => (useViews(useCan('contacts:read')).data?.total ?? 0) > 0

/** Returns the view that the address shows, or `null`. */
export function useViewHere(search: ContactsSearch): View | null {
  const { data } = useViews(useCan('contacts:read'))
  return data?.items.find((view) => isSame(view, search)) ?? null
}

/** Whether the address says something that a view can keep and a segment cannot. */
export const canBeView = (search: ContactsSearch): boolean =>
  search.filter === undefined &&
  [search.q, search.sort, search.order, search.segment && (search.tag ?? search.owner)].some(
    (one) => one !== undefined,
  )

/** The saved views as tabs, and what can be done with the one that is shown. */
export function ViewTabs({ search }: { search: ContactsSearch }) {
  const { data } = useViews(useCan('contacts:read'))
  const chosen = useViewHere(search)
  return (
    <>
      {data?.items.map((view) => (
        <Link
          key={view.id}
          to="/contacts"
          search={searchOf(view)}
          aria-current={view.id === chosen?.id ? 'page' : undefined}
        >
          <Icon name="filter" size={14} /> <bdi>{view.name}</bdi>
        </Link>
      ))}
      {chosen && <ViewMenu view={chosen} />}
    </>
  )
}

/** Renames, shares and deletes a view, if the user may. */
function ViewMenu({ view }: { view: View }) {
  const me = useMe()
  const mayShare = useCan('contacts:update')
  const client = useQueryClient()
  const show = useShow<ContactsSearch>()
  const [dialog, setDialog] = useState<'change' | 'delete' | null>(null)
  const close = (): void => {
    setDialog(null)
  }
  if (view.is_shared ? !mayShare : view.owner.id !== me.id) return null
  const remove = async (): Promise<void> => {
    await call('DELETE /api/views/{id}', { params: { id: view.id } })
    show({ q: undefined, sort: undefined, order: undefined })
    await client.invalidateQueries({ queryKey: ['GET /api/views'] })
  }
  return (
    <>
      <Menu
        label={t('contacts.view.menu', { name: view.name })}
        button={
          <IconButton icon="more" size={18} label={t('contacts.view.menu', { name: view.name })} />
        }
      >
        <MenuItem
          icon="edit"
          label={t('contacts.view.change')}
          onAction={() => {
            setDialog('change')
          }}
        />
        <MenuItem
          icon="trash"
          isDangerous
          label={t('contacts.view.delete')}
          onAction={() => {
            setDialog('delete')
          }}
        />
      </Menu>
      {dialog === 'change' && <ViewDialog view={view} search={searchOf(view)} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          isOpen
          title={t('contacts.view.delete-title', { name: view.name })}
          text={t('contacts.view.delete-text')}
          action={t('contacts.view.delete')}
          onClose={close}
          onConfirm={() => {
            remove().catch(report)
          }}
        />
      )}
    </>
  )
}

interface Props {
  /** `null` for a new one. */
  view: View | null
  search: ContactsSearch
  onClose: () => void
}

/** Saves what the address shows as a view, or changes its name and who sees it. */
export function ViewDialog({ view, search, onClose }: Props) {
  const client = useQueryClient()
  const mayShare = useCan('contacts:update')
  const [isShared, setShared] = useState(view?.is_shared ?? false)
  return (
    <FormDialog
      title={t(view ? 'contacts.view.change' : 'contacts.view.new')}
      submit={t('parts.action.save')}
      onClose={onClose}
      onSave={async (data) => {
        const body = { name: textOf(data, 'name').trim(), is_shared: isShared }
        if (view) await call('PUT /api/views/{id}', { params: { id: view.id }, body })
        else {
          const filter = filterOf(search)
          await callOnce('POST /api/views', { body: { ...body, filter, resource: 'contacts' } })
        }
        await client.invalidateQueries({ queryKey: ['GET /api/views'] })
      }}
    >
      <TextField
        name="name"
        label={t('contacts.segment.name')}
        hint={t('contacts.view.hint')}
        defaultValue={view?.name ?? ''}
        maxLength={60}
        isRequired
        autoFocus
      />
      {mayShare && (
        <Switch isSelected={isShared} onChange={setShared}>
          {t('contacts.view.shared')}
        </Switch>
      )}
    </FormDialog>
  )
}
