import { useState } from 'react'

import { callOnce } from '../../api/call-once'
import { call } from '../../api/client'
import type { ApiKey, PermissionKey } from '../../api/shapes'
import { useMe } from '../../live/me'
import { serverNow } from '../../live/server-clock'
import { Checkbox, Switch } from '../../parts/choice'
import { DateField } from '../../parts/date-field'
import { TextField, textOf } from '../../parts/field'
import { FormDialog } from '../../parts/form-dialog'
import { sentenceOfPermission } from '../../parts/permission-sentence'
import { dayOf, endOfDay } from '../../texts/format'
import { t } from '../../texts/texts'
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

/** The window in which a key is changed. Its permissions that the person lacks stay as they are. */
export function EditKeyDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const { id, expires_at: end } = apiKey
  const [chosen, setChosen] = useState(new Set(apiKey.permissions))
  const known = end === null ? null : dayOf(Date.parse(end) - 1)
  const [day, setDay] = useState(known)
  const [isActive, setActive] = useState(apiKey.is_active)
  const refresh = useRefresh('GET /api/api-keys')
  return (
    <FormDialog
      title={t('settings.keys.edit')}
      submit={t('settings.action.save')}
      size="medium"
      onClose={onClose}
      onSave={async (data) => {
        const permissions = [...chosen]
        const isSame = chosen.symmetricDifference(new Set(apiKey.permissions)).size === 0
        const body = {
          ...{ name: textOf(data, 'name'), is_active: isActive },
          ...(isSame ? {} : { permissions }),
          ...(day === known ? {} : { expires_at: endOf(day) }),
        }
        await call('PUT /api/api-keys/{id}', { params: { id }, body })
        await refresh()
      }}
    >
      <TextField
        name="name"
        label={t('settings.field.name')}
        defaultValue={apiKey.name}
        isRequired
        maxLength={255}
        autoFocus
      />
      <Switch isSelected={isActive} onChange={setActive}>
        {t('settings.keys.active')}
      </Switch>
      <LastDay day={day} onChange={setDay} />
      <Rights chosen={chosen} held={apiKey.permissions} onChange={setChosen} />
    </FormDialog>
  )
}
