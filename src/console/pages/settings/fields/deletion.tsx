import { useQuery } from '@tanstack/react-query'

import { call } from '../../../api/client'
import type { ContactAttribute } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { typedFor } from '../../../parts/dialog'
import { t } from '../../../texts/texts'
import { DeleteDialog } from '../delete-dialog'
import { useRefresh } from '../../../live/use-refresh'

/** Returns how many contacts have a value in a field; `null` while they are counted. */
function useHolders(key: string, isNeeded: boolean): number | null {
  const filter = { all: [{ field: `attributes.${key}`, op: 'exists' }] }
  const { data } = useQuery({
    queryKey: ['POST /api/contacts/search', 'holders', key],
    queryFn: ({ signal }) =>
      call('POST /api/contacts/search', { body: { filter, limit: 1, exact_total: true }, signal }),
    enabled: isNeeded,
    staleTime: 0,
    gcTime: 0,
  })
  return data?.total ?? null
}

/** Asks before a custom field is deleted; says how many contacts lose a value. */
export function FieldDeletion({
  field: { id, key, label },
  onClose,
}: {
  field: ContactAttribute
  onClose: () => void
}) {
  const seesAll = useCan('contacts:read_all')
  const count = useHolders(key, seesAll)
  const refresh = useRefresh('GET /api/contact-attributes')
  const text = !seesAll
    ? t('fields.delete-all')
    : count === null
      ? t('fields.counting')
      : t('fields.delete', { count })
  return (
    <DeleteDialog
      name={label}
      text={text}
      isReady={!seesAll || count !== null}
      typed={typedFor(count ?? 0)}
      onDelete={() => call('DELETE /api/contact-attributes/{id}', { params: { id } }).then(refresh)}
      onClose={onClose}
    />
  )
}
