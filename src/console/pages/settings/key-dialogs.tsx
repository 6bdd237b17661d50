import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { ApiKey, PermissionKey } from '../../api/shapes'
import { useMe } from '../../live/me'
import { serverNow } from '../../live/server-clock'
import { Checkbox, Switch } from '../../parts/choice'
import { DateField } from '../../parts/date-field'
import { useDraft } from '../../parts/draft'
import { EditDialog } from '../../parts/edit-dialog'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import type { Merge } from '../../parts/merge'
import { permissionsBeyond, sentenceOfPermission } from '../../parts/permission-sentence'
import { dayOf, endOfDay } from '../../texts/format'
import { t, type TextKey } from '../../texts/texts'
import { SecretDialog } from '../../parts/secret-dialog'
import { useRefresh } from '../../live/use-refresh'

/** Permissions that no key may have, so that a key cannot make keys. */
const REFUSED = new Set<PermissionKey>(['api_keys:create', 'api_keys:update'])

interface RightsProps {
  chosen: ReadonlySet<PermissionKey>
  /** What the key has, also what the person may not do. */
  held?: readonly PermissionKey[]
  onChange: (chosen: Set<PermissionKey>) => void
}

/** Boxes for the permissions of the user, of which a key gets the ticked ones. */
function Rights({ chosen, held = [], onChange }: RightsProps) {
  const { permissions } = useMe()
  const offered = [...new Set([...permissions, ...held])].filter((one) => !REFUSED.has(one))
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

/** The end of a day as the API takes it; `null` for never. */
const endOf = (day: string | null): string | null =>
  day === null ? null : new Date(endOfDay(day)).toISOString()

/** The last day on which a key works; none for a key that does not end. */
function LastDay({
  day,
  onChange,
}: {
  day: string | null
  onChange: (day: string | null) => void
}) {
  return (
    <DateField
      name="expires_at"
      label={t('settings.keys.until')}
      hint={t('settings.keys.until-hint')}
      value={day}
      first={dayOf(serverNow())}
      onChange={onChange}
      onClear={() => {
        onChange(null)
      }}
    />
  )
}

/** The window in which a key is created. It ends with the key, which is shown once. */
export function KeyDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState(new Set<PermissionKey>())
  const [day, setDay] = useState<string | null>(null)
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
        const name = textOf(data, 'name')
        const body = { name, permissions: [...chosen], expires_at: endOf(day) }
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
      <LastDay day={day} onChange={setDay} />
      <Rights chosen={chosen} onChange={setChosen} />
    </FormDialog>
  )
}

type Values = Pick<ApiKey, 'name' | 'is_active' | 'permissions' | 'updated_at'> & {
  /** The last day on which it works. */
  day: string | null
}

/** Returns a key as its window shows it. */
const valuesOf = ({ expires_at: end, permissions, ...key }: ApiKey): Values => ({
  ...{ name: key.name, is_active: key.is_active, updated_at: key.updated_at },
  permissions: permissions.toSorted(),
  day: end === null ? null : dayOf(Date.parse(end) - 1),
})

const LABELS: Readonly<Record<keyof Values, TextKey>> = {
  name: 'settings.field.name',
  is_active: 'settings.keys.active',
  permissions: 'settings.keys.permissions',
  day: 'settings.keys.until',
  updated_at: 'settings.field.name', // nobody changes it
}

const MERGE: Merge<Values> = {
  read: (present) => valuesOf(present as ApiKey),
  label: (field) => t(LABELS[field]),
  show: (field, value, other) =>
    field === 'permissions'
      ? permissionsBeyond(value as PermissionKey[], other as PermissionKey[])
      : null,
}

/** The window in which a key is changed. Its permissions that the person lacks stay as they are. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id } = apiKey
  const draft = useDraft(valuesOf(apiKey))
  const refresh = useRefresh('GET /api/api-keys')
  const { value, set } = draft
  return (
    <EditDialog
      title={t('settings.keys.edit')}
      size="medium"
      draft={draft}
      merge={MERGE}
      onClose={onClose}
      onSave={async ({ day, ...changes }, { updated_at: ifMatch }) => {
        const body = { ...changes, ...(day === undefined ? {} : { expires_at: endOf(day) }) }
        await call('PUT /api/api-keys/{id}', { params: { id }, body, ifMatch })
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        value={value.name}
        onChange={(name) => {
          set({ name })
        }}
        isRequired
        maxLength={255}
        autoFocus
      />
      <Switch
        isSelected={value.is_active}
        onChange={(isOn) => {
          set({ is_active: isOn })
        }}
      >
        {t('settings.keys.active')}
      </Switch>
      <LastDay
        day={value.day}
        onChange={(day) => {
          set({ day })
        }}
      />
      <Rights
        chosen={new Set(value.permissions)}
        held={apiKey.permissions}
        onChange={(chosen) => {
          set({ permissions: [...chosen].toSorted() })
        }}
      />
    </EditDialog>
  )
}
