import type { ReactNode } from 'react'

import type { ContactAttribute } from '../../api/shapes'
import { formatDate, formatNumber } from '../../texts/format'
import { t } from '../../texts/texts'

/** How the value of a field of the organization reads; `null` for none. */
export function ownValue(type: ContactAttribute['type'], value: unknown): ReactNode {
  if (value === undefined || value === null) return null
  if (type === 'boolean') return t(value === true ? 'parts.contact.yes' : 'parts.contact.no')
  if (type === 'number') return formatNumber(Number(value))
  if (typeof value !== 'string') return null
  return <bdi>{type === 'date' ? formatDate(value) : value}</bdi>
}
