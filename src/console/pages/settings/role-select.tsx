import { useApi } from '../../live/query'
import { Select } from '../../parts/select'
import { t } from '../../texts/texts'

interface Props {
  value: string | null
  onChange: (id: string) => void
}

/** A field with the roles of the organization. */
export function RoleSelect({ value, onChange }: Props) {
  const { data } = useApi('GET /api/roles', { query: { limit: 100 } })
  return (
    <Select
      label={t('settings.people.role')}
      choices={(data?.items ?? []).map((role) => ({ id: role.id, label: role.name }))}
      value={value ?? data?.items.find((role) => role.is_default)?.id ?? null}
      onChange={onChange}
    />
  )
}
