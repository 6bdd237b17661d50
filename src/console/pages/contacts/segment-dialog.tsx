import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { useCan } from '../../live/me'
import { keyOf } from '../../live/query'
import { Switch } from '../../parts/choice'
import { TextField, textOf } from '../../parts/field'
import type { Filter } from '../../parts/filter/model'
import { FormDialog } from '../../parts/form-dialog'
import { notify } from '../../parts/toast'
import { t } from '../../texts/texts'

interface Props {
  filter: Filter
  onSaved: (id: string) => void
  onClose: () => void
}

/** Saves conditions as a segment. */
export function SegmentDialog({ filter, onSaved, onClose }: Props) {
  const client = useQueryClient()
  const mayShare = useCan('contacts:update')
  const [isShared, setShared] = useState(mayShare)
  return (
    <FormDialog
      title={t('contacts.segment.new')}
      submit={t('contacts.segment.save')}
      onClose={onClose}
      onSave={async (data) => {
        const { id } = await callOnce('POST /api/segments', {
          body: { name: textOf(data, 'name').trim(), filter, shared: isShared },
        })
        await client.invalidateQueries({ queryKey: keyOf('GET /api/segments') })
        notify(t('contacts.segment.saved'))
        onSaved(id)
      }}
    >
      <TextField
        name="name"
        label={t('contacts.segment.name')}
        maxLength={255}
        isRequired
        autoFocus
      />
      {mayShare && (
        <Switch isSelected={isShared} onChange={setShared}>
          {t('contacts.segment.shared')}
        </Switch>
      )}
    </FormDialog>
  )
}
