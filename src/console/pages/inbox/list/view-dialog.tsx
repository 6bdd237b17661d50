import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../../api/call-once'
import { call } from '../../../api/client'
import type { View } from '../../../api/shapes'
import type { ListFilter } from '../../../live/conversation-list'
import { useCan } from '../../../live/me'
import { keyOf } from '../../../live/query'
import { Switch } from '../../../parts/choice'
import { differing } from '../../../parts/draft'
import { TextField, textOf } from '../../../parts/field'
import { FormDialog } from '../../../parts/form-dialog'
import { useMerged, type Merge } from '../../../parts/merge'
import { t, type TextKey } from '../../../texts/texts'
import { FilterWords } from './filter-words'

interface Props {
  /** The view that is changed; `null` saves a new one. */
  view: View | null
  filter: ListFilter
  onSaved: (id: string) => void
  onClose: () => void
}

type Values = Pick<View, 'name' | 'filter' | 'is_shared' | 'updated_at'>

const LABELS: Record<keyof Values, TextKey> = {
  name: 'inbox.saved.name',
  filter: 'inbox.filter.title',
  is_shared: 'inbox.saved.shared',
  updated_at: 'parts.merge.changed',
}

const valuesOf = ({ name, filter, is_shared, updated_at }: View): Values => ({
  ...{ name, filter, is_shared, updated_at },
})

/** How two people who change the same view are told about each other. */
const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as View), // the server sends the view
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'filter' ? <FilterWords filter={value as ListFilter} /> : null,
}

/** The window in which the present filters are saved as a view, or a view is changed. */
export function ViewDialog({ view, filter, onSaved, onClose }: Props) {
  const client = useQueryClient()
  const mayShare = useCan('contacts:update')
  const merged = useMerged(MERGE)
  // as it was when the window was opened
  const [seen] = useState(() => view && valuesOf(view))
  const [isShared, setShared] = useState(view?.is_shared ?? false)
  /** Saves what was changed. Returns the ID of the view. */
  const store = async (body: Omit<Values, 'updated_at'>): Promise<string> => {
    if (!view || !seen)
      return (await callOnce('POST /api/views', { body: { ...body, resource: 'conversations' } }))
        .id
    const mine = differing<Values>(body, seen)
    if (Object.keys(mine).length > 0)
      await merged.save(mine, seen, (changes, { updated_at: ifMatch }) =>
        call('PUT /api/views/{id}', { params: { id: view.id }, body: changes, ifMatch }),
      )
    return view.id
  }
  const save = async (data: FormData): Promise<void> => {
    const id = await store({
      name: textOf(data, 'name'),
      filter: { ...filter },
      is_shared: isShared,
    })
    await client.invalidateQueries({ queryKey: keyOf('GET /api/views') })
    onSaved(id)
  }
  return (
    <>
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
      {merged.windows}
    </>
  )
}
