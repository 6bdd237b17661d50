import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { View } from '../../../api/shapes'
import type { ListFilter } from '../../../live/conversation-list'
import { useCan, useMe } from '../../../live/me'
import { keyOf, useApi } from '../../../live/query'
import { FIRST } from '../../../live/start'
import { Switch } from '../../../parts/choice'
import { TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { t } from '../../../texts/texts'

/** The server counts so many views at once. */
const MAX_COUNTED = 10

/** Returns the saved views of the inbox, own and shared, when they are needed. */
export const useSavedViews = (isNeeded: boolean) => useApi('GET /api/views', FIRST.views, isNeeded)

/**
 * Returns the saved view with this ID: `undefined` while it is loaded, `null` if the user sees no
 * such view.
 */
export function useSavedView(id: string | undefined): View | null | undefined {
  const { data, isError } = useSavedViews(id !== undefined)
  if (id === undefined || isError) return null
  return data && (data.items.find((one) => one.id === id) ?? null)
}

/** Returns how many conversations the first saved views have, by their IDs. */
export function useViewCounts(views: readonly View[], isNeeded: boolean) {
  const ids = views.slice(0, MAX_COUNTED).map(({ id }) => id)
  const { data } = useApi(
    'GET /api/views/counts',
    { query: { ids: ids.join(',') } },
    isNeeded && ids.length > 0,
  )
  return data ?? {}
}

/** Whether the user may change or delete a view. */
export function useMayChange(): (view: View) => boolean {
  const me = useMe()
  const mayShare = useCan('contacts:update')
  return (view) => (view.is_shared ? mayShare : view.owner.id === me.id)
}

interface Props {
  /** The view that is changed; `null` saves a new one. */
  view: View | null
  filter: ListFilter
  onSaved: (id: string) => void
  onClose: () => void
}

/** The window in which the present filters are saved as a view, or a view is renamed. */
export function ViewDialog({ view, filter, onSaved, onClose }: Props) {
  const client = useQueryClient()
  const mayShare = useCan('contacts:update')
  const [isShared, setShared] = useState(view?.is_shared ?? false)
  const save = async (data: FormData): Promise<void> => {
    const body = { name: textOf(data, 'name'), filter: { ...filter }, is_shared: isShared }
    const saved = view
      ? await call('PUT /api/views/{id}', {
          params: { id: view.id },
          body,
          ifMatch: view.updated_at,
        })
      : await callOnce('POST /api/views', {
          body: { ...body, resource: 'conversations' },
        })
    await client.invalidateQueries({ queryKey: keyOf('GET /api/views') })
    onSaved(saved.id)
  }
  return (
    <FormDialog
      title={t(view ? 'inbox.saved.change' : 'inbox.saved.new')}
      submit={t('inbox.saved.save')}
      onSave={save}
      onClose={onClose}
    >
      <TextField
        name="name"
        label={t('inbox.saved.name')}
        hint={t('inbox.saved.hint')}
        defaultValue={view?.name ?? ''}
        isRequired
        maxLength={60}
        autoFocus
      />
      {mayShare && (
        <Switch isSelected={isShared} onChange={setShared}>
          {t('inbox.saved.shared')}
        </Switch>
      )}
    </FormDialog>
  )
}
