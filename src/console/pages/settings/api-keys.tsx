import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { ApiKey, PermissionKey } from '../../api/shapes'
import { useCan, useMe } from '../../live/me'
import { useApi } from '../../live/query'
import { Checkbox } from '../../parts/choice'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { Item } from '../../parts/item-list'
import { formatDateTime } from '../../texts/format'
import { sentenceOfPermission } from '../../parts/permission-sentence'
import { t } from '../../texts/texts'
import { Collection, usePage } from './collection'
import { DeleteDialog } from './delete-dialog'
import { editMenu, useEditing } from './edit-menu'
import { SecretDialog } from './secret-dialog'
import { useRefresh } from './use-refresh'

/** Permissions that no key may have, so that a key cannot make keys. */
const REFUSED = new Set<PermissionKey>(['api_keys:create', 'api_keys:update'])

interface RightsProps {
  chosen: ReadonlySet<PermissionKey>
  onChange: (chosen: Set<PermissionKey>) => void
}

/** Boxes for the permissions of the user, of which a key gets the ticked ones. */
function Rights({ chosen, onChange }: RightsProps) {
  const { permissions } = useMe()
  const offered = permissions.filter((one) => !REFUSED.has(one))
  return (
    <fieldset className="rights">
      <legend>{t('settings.keys.permissions')}</legend>
      {offered.map((one) => (
        <Checkbox
          key={one}
          isSelected={chosen.has(one)}
          onChange={(isOn) => {
            const next = new Set(chosen)
            if (isOn) next.add(one)
            else next.delete(one)
            onChange(next)
          }}
        >
          <span>
            {sentenceOfPermission(one)}
            <code className="muted small block">{one}</code>
          </span>
        </Checkbox>
      ))}
    </fieldset>
  )
}

/** The window in which a key is created. It ends with the key, which is shown once. */
function KeyDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState(new Set<PermissionKey>())
  const [made, setMade] = useState<{ key: string; warnings: string[] } | null>(null)
  const refresh = useRefresh('GET /api/api-keys')
  if (made !== null)
    return (
      <SecretDialog
        title={t('settings.keys.created')}
        hint={t('settings.keys.created-hint')}
        secret={made.key}
        warnings={made.warnings}
        onClose={onClose}
      />
    )
  return (
    <FormDialog
      title={t('settings.keys.add')}
      submit={t('settings.keys.add')}
      size="medium"
      onClose={onClose}
      isKeptOpen
      onSave={async (data) => {
        const body = { name: textOf(data, 'name'), permissions: [...chosen] }
        setMade(await callOnce('POST /api/api-keys', { body }))
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        isRequired
        maxLength={255}
        autoFocus
      />
      <Rights chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

/** Returns owner, permissions and last use of a key in one line. */
const summaryOf = (key: ApiKey): string =>
  t('settings.keys.summary', {
    owner: key.owner.full_name,
    count: key.permissions.length,
    used:
      key.last_used_at === null
        ? t('settings.keys.never')
        : t('settings.keys.used', { time: formatDateTime(key.last_used_at) }),
  })

/** The keys with which programs use the API. */
export function ApiKeys() {
  const { edited, deleted, edit, remove, close } = useEditing<ApiKey>()
  const canAdd = useCan('api_keys:create')
  const canDelete = useCan('api_keys:delete')
  const query = { page: usePage(), limit: 50 }
  const result = useApi('GET /api/api-keys', { query }, useCan('api_keys:read'))
  const refresh = useRefresh('GET /api/api-keys')
  const add = (): void => {
    edit('new')
  }
  return (
    <Collection
      title={t('settings.keys.title')}
      hint={t('settings.keys.hint')}
      needs="api_keys:read"
      add={canAdd ? { label: t('settings.keys.add'), onPress: add } : null}
      empty={{
        icon: 'lock',
        title: t('settings.keys.empty'),
        hint: t('settings.keys.empty-hint'),
      }}
      result={result}
      row={(key) => (
        <Item
          key={key.id}
          name={key.name}
          badge={
            <>
              <code className="small muted">{key.key_prefix}…</code>
              {!key.usable && <span className="chip warn">{t('settings.keys.unusable')}</span>}
            </>
          }
          hint={summaryOf(key)}
          menu={editMenu({
            onEdit: null,
            onDelete: canDelete
              ? () => {
                  remove(key)
                }
              : null,
            deleteLabel: t('settings.keys.revoke'),
          })}
        />
      )}
    >
      {edited && <KeyDialog onClose={close} />}
      {deleted && (
        <DeleteDialog
          name={deleted.name}
          text={t('settings.keys.revoke-hint')}
          onDelete={() =>
            call('DELETE /api/api-keys/{id}', { params: { id: deleted.id } }).then(refresh)
          }
          onClose={close}
        />
      )}
    </Collection>
  )
}
