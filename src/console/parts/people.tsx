import { useMe } from '../live/me'
import { useApi } from '../live/query'
import { t } from '../texts/texts'
import { Avatar } from './avatar'
import type { PickerItem } from './picker'

/** Most colleagues that are listed; a search finds the others. */
const MAX_LISTED = 20

/** Whether a label holds the words of a search. */
export const matches = (label: string, search: string): boolean =>
  label.toLowerCase().includes(search.trim().toLowerCase())

/** Returns the people who match a search, the caller first. The server searches all colleagues. */
export function usePeople(search: string): PickerItem[] {
  const me = useMe()
  const words = search.trim()
  const query = { limit: MAX_LISTED, ...(words === '' ? {} : { search: words }) }
  const { data } = useApi('GET /api/colleagues', { query })
  const others = (data?.items ?? []).filter(({ id }) => id !== me.id)
  const self = { id: me.id, full_name: me.full_name, is_available: me.is_available }
  const own = me.is_member && matches(me.full_name, search) ? [self] : []
  return [...own, ...others].map(({ id, full_name: name, is_available: isAvailable }) => ({
    id,
    label: id === me.id ? t('inbox.assign.me', { name }) : name,
    mark: <Avatar name={name} id={id} size="small" />,
    ...(isAvailable ? {} : { hint: t('shell.account.away') }),
  }))
}
