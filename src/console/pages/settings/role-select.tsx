import { FoundSelect, useFound } from '../../parts/found-select'
import { t } from '../../texts/texts'

interface Props {
  value: string | null
  onChange: (id: string) => void
}

/** A field with the roles of the organization. */
export function RoleSelect({ value, onChange }: Props) {
  const { entries } = useFound<{ id: string; name: string; is_default: boolean }>('role')
  return (
    <FoundSelect
      kind="role"
      label={t('settings.people.role')}
      value={value ?? entries.find((role) => role.is_default)?.id ?? null}
      onChange={onChange}
    />
  )
}
