import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { CannedResponse } from '../../api/shapes'
import { useCan } from '../../live/me'
import { useApi } from '../../live/query'
import { Switch } from '../../parts/choice'
import { TextArea, TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item } from '../../parts/item-list'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from './edit-menu'
import { useRefresh } from './use-refresh'

interface DialogProps {
  response: CannedResponse | null
  onClose: () => void
}

/** The window in which a canned response is added or changed. */
function ResponseDialog({ response, onClose }: DialogProps) {
  const [isActive, setActive] = useState(response?.is_active ?? true)
  const refresh = useRefresh('GET /api/canned-responses')
  const save = async (data: FormData): Promise<void> => {
    const body = {
      name: textOf(data, 'name'),
      shortcut: textOf(data, 'shortcut') || null,
      content: textOf(data, 'content'),
      category: textOf(data, 'category') || 'general',
      is_active: isActive,
    }
    await (response
      ? call('PUT /api/canned-responses/{id}', { params: { id: response.id }, body })
      : callOnce('POST /api/canned-responses', { body }))
    await refresh()
  }
  return (
    <FormDialog
      title={t(response ? 'settings.canned.edit' : 'settings.canned.add')}
      submit={t('settings.action.save')}
      size="medium"
      onClose={onClose}
      onSave={save}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={response?.name ?? ''}
        isRequired
        maxLength={100}
        autoFocus
      />
      <TextField
        name="shortcut"
        label={t('settings.canned.shortcut')}
        hint={t('settings.canned.shortcut-hint')}
        defaultValue={response?.shortcut ?? ''}
      />
      <TextArea
        name="content"
        label={t('settings.canned.content')}
        hint={t('settings.canned.content-hint', {
          variables: '{{contact_name}}, {{phone_number}}, {{agent_name}}',
        })}
        defaultValue={response?.content ?? ''}
        rows={6}
        isRequired
        maxLength={4_096}
      />
      <TextField
        name="category"
        label={t('settings.canned.category')}
        defaultValue={response?.category ?? 'general'}
        maxLength={50}
      />
      <Switch isSelected={isActive} onChange={setActive}>
        {t('settings.canned.active')}
      </Switch>
    </FormDialog>
  )
}

/** Texts that people insert into their replies. */
export function CannedResponses() {
  const { edited, deleted, edit, remove, close } = useEditing<CannedResponse>()
  const canRead = useCan('canned_responses:read')
  const canAdd = useCan('canned_responses:create')
  const canEdit = useCan('canned_responses:update')
  const canDelete = useCan('canned_responses:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/canned-responses', { query }, canRead)
  const refresh = useRefresh('GET /api/canned-responses')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.canned.title')}
      hint={t('settings.canned.hint')}
      needs="canned_responses:read"
      add={canAdd ? { label: t('settings.canned.add'), onPress: add } : null}
      empty={{
        icon: 'bolt',
        title: t('settings.canned.empty'),
        hint: t('settings.canned.empty-hint'),
      }}
      result={result}
      row={(response) => (
        <Item
          key={response.id}
          name={response.name}
          badge={
            <>
              {response.shortcut !== null && <kbd dir="ltr">/{response.shortcut}</kbd>}
              {!response.is_active && <span className="chip">{t('settings.state.inactive')}</span>}
            </>
          }
          hint={<bdi>{response.content}</bdi>}
          menu={editMenu({
            onEdit: canEdit
              ? () => {
                  edit(response)
                }
              : null,
            onDelete: canDelete
              ? () => {
                  remove(response)
                }
              : null,
          })}
        />
      )}
    >
      {edited && <ResponseDialog response={edited === 'new' ? null : edited} onClose={close} />}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.canned.delete')}
          onDelete={() =>
            call('DELETE /api/canned-responses/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
