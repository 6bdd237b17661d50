import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { View } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useRefresh } from '../../live/use-refresh'
import { IconButton } from '../../parts/button'
import { Switch } from '../../parts/choice'
import { Confirm } from '../../parts/dialog'
import { useDraft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { TextField } from '../../parts/field'
import { Icon } from '../../parts/icons'
import { useShow } from '../../parts/list-page'
import { Menu, MenuItem } from '../../parts/menu'
import type { Merge } from '../../parts/merge'
import { report } from '../../parts/toast'
import { t, type TextKey } from '../../texts/texts'
import { filterOf, searchOf, useViewHere, useViews, type ContactsSearch } from './view-model'

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

type Values = Pick<View, 'name' | 'is_shared' | 'updated_at'>

const LABELS: Record<keyof Values, TextKey> = {
  name: 'contacts.segment.name',
  is_shared: 'contacts.view.shared',
  updated_at: 'wizard.field.updated_at',
}

const valuesOf = ({ name, is_shared, updated_at }: View): Values => ({
  name,
  is_shared,
  updated_at,
})

/** How two people who change the same view are told about each other. */
const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as View), // the server sends the view
  label: (field) => t(LABELS[field]),
}

/** Saves what the address shows as a view, or changes its name and who sees it. */
export function ViewDialog({ view, search, onClose }: Props) {
  const mayShare = useCan('contacts:update')
  const refresh = useRefresh('GET /api/views')
  const draft = useDraft(view ? valuesOf(view) : { name: '', is_shared: false, updated_at: '' })
  const { value, set } = draft
  return (
    <EditDialog
      title={t(view ? 'contacts.view.change' : 'contacts.view.new')}
      draft={draft}
      merge={MERGE}
      isNew={!view}
      onClose={onClose}
      onSave={async (changes, { updated_at: ifMatch }) => {
        const { name, is_shared } = value
        const body = { name, is_shared, filter: filterOf(search), resource: 'contacts' as const }
        await (view
          ? call('PUT /api/views/{id}', { params: { id: view.id }, body: changes, ifMatch })
          : callOnce('POST /api/views', { body }))
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('contacts.segment.name')}
        hint={t('contacts.view.hint')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        maxLength={60}
        isRequired
        autoFocus
      />
      {mayShare && (
        <Switch
          isSelected={value.is_shared}
          onChange={(isShared) => {
            set({ is_shared: isShared })
          }}
        >
          {t('contacts.view.shared')}
        </Switch>
      )}
    </EditDialog>
  )
}
