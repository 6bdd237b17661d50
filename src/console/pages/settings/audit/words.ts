import type { AuditEntry } from '../../../api/shapes'
import { wordsOfName } from '../../../texts/name-words'
import { formatDateTime, formatList, formatNumber } from '../../../texts/format'
import { findText, t } from '../../../texts/texts'

/** A code in the words of the person; one without any as words of its own. */
const wordOf = (kind: 'action' | 'resource' | 'field', code: string): string =>
  findText(`codes.${kind}.${code}`) ?? wordsOfName(code)

/** What was done. */
export const nameOfAction = (action: string): string => wordOf('action', action)
/** To what kind of thing it was done. */
export const nameOfResource = (type: string): string => wordOf('resource', type)

/** A change of a field, in words; `null` where there was nothing, or what was is not shown. */
export interface Difference {
  field: string
  before: string | null
  after: string
}

/** Names of colleagues and teams by their IDs, which is what the log holds. */
export type Names = ReadonlyMap<string, string>

const HIDDEN = '***'
const ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/
/** Signs of an ID of which nobody knows the name. */
const ID_END = 6
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** A value in words: lists and times as they are read, a secret as one. */
function valueText(value: unknown, names: Names): string {
  if (value === null || value === undefined || value === '') return '–'
  if (value === HIDDEN) return t('settings.audit.hidden')
  if (typeof value === 'boolean') return t(value ? 'settings.audit.yes' : 'settings.audit.no')
  if (typeof value === 'number') return formatNumber(value)
  if (typeof value === 'string') return wordsOf(value, names)
  if (Array.isArray(value))
    return value.length === 0 ? '–' : formatList(value.map((one) => valueText(one, names)))
  return Object.entries(value)
    .map(([name, inner]) => `${wordOf('field', name)}: ${valueText(inner, names)}`)
    .join('; ')
}

function wordsOf(text: string, names: Names): string {
  if (ID.test(text)) return names.get(text) ?? `#${text.slice(-ID_END)}`
  return TIME.test(text) ? formatDateTime(text) : text
}

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || value === HIDDEN

const without = (all: unknown[], others: unknown[]): unknown[] => {
  const known = new Set(others.map((one) => JSON.stringify(one)))
  return all.filter((one) => !known.has(JSON.stringify(one)))
}

/** Returns the changes of an entry; of long lists only what was added and removed. */
export const differencesOf = ({ changes }: AuditEntry, names: Names): Difference[] =>
  changes.map(({ field, old_value: old, new_value: now }) => {
    const isList = Array.isArray(old) && Array.isArray(now) && old.length + now.length > 2
    return {
      field: wordOf('field', field),
      before: isNothing(old) ? null : valueText(isList ? without(old, now) : old, names),
      after: valueText(isList ? without(now, old) : now, names),
    }
  })

/** Who did it, as they were called then. */
export function nameOfActor(entry: AuditEntry): string {
  const { actor_type: type, user_name: name } = entry
  if (type === 'system') return t('settings.audit.server')
  const person = name ?? t('settings.audit.unknown')
  return type === 'api_key' ? t('settings.audit.by-key', { name: person }) : person
}

const GONE = new Set(['deleted', 'erased', 'bulk_delete'])

/** Screens of one thing, and of lists in which it is. */
const SCREENS: Record<string, (id: string) => string> = {
  account: (id) => `/settings/numbers/${id}`,
  api_key: () => '/settings/api-keys',
  campaign: (id) => `/campaigns/${id}`,
  canned_response: () => '/settings/canned-responses',
  contact: (id) => `/contacts/${id}`,
  conversation: (id) => `/inbox/${id}`,
  invitation: () => '/settings/people',
  role: (id) => `/settings/roles/${id}`,
  segment: (id) => `/contacts/segments/${id}`,
  tag: () => '/settings/tags',
  team: () => '/settings/teams',
  template: (id) => `/templates/${id}`,
  transfer: () => '/transfers',
  user: () => '/settings/people',
}

/** Returns the address of what was changed, or `null` if it has no screen or is gone. */
export function screenOf(entry: AuditEntry): string | null {
  const { action, resource_type: type, resource_id: id } = entry
  if (id === null || GONE.has(action)) return null
  if (action === 'imported' || action === 'import_undone') return `/contacts/import/${id}`
  return SCREENS[type]?.(id) ?? null
}
