import { FoundSelect, useFound } from '../../parts/found-select'
import { t } from '../../texts/texts'
import { roleTitle } from '../../parts/role-name'

interface Role {
  id: string
  name: string
  is_system: boolean
  is_default: boolean
}

interface Props {
  value: string | null
  onChange: (id: string) => void
}

/** A field with the roles of the organization. */
export function RoleSelect({ value, onChange }: Props) {
  const { entries } = useFound<Role>('role')
  return (
    <FoundSelect<Role>
      kind="role"
      labelOf={roleTitle}
      label={t('settings.people.role')}
      value={value ?? entries.find((role) => role.is_default)?.id ?? null}
      onChange={onChange}
    />
  )
}
