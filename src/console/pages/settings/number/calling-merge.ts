import { call } from '../../../api/client'
import type { CallingSettings } from '../../../api/shapes'
import type { Merge } from '../../../parts/merge'
import { weekInWords } from '../../../parts/week'
import { formatCountry, formatList } from '../../../texts/format'
import { t, type TextKey } from '../../../texts/texts'
import { valuesOf, type Values } from './calling-values'

const LABELS: Readonly<Record<keyof Values, TextKey>> = {
  isOn: 'number.calling.on',
  hasButton: 'number.calling.button',
  countries: 'number.calling.countries',
  hasHours: 'number.calling.only-hours',
  hours: 'number.calling.hours',
  asksToCallBack: 'number.calling.callback',
  hasServer: 'number.calling.server-on',
  host: 'number.calling.host',
  port: 'number.calling.port',
}

/** Returns how the form of a number's calls shows what somebody else saved meanwhile. */
export const mergeOf = (id: string): Merge<Values> => ({
  read: (present) => valuesOf(present as CallingSettings),
  now: () => call('GET /api/accounts/{id}/calling', { params: { id } }),
  label: (field) => t(LABELS[field]),
  show: (field, value) =>
    field === 'hours'
      ? weekInWords(value as Values['hours'])
      : field === 'countries'
        ? formatList((value as string[]).map(formatCountry)) || t('number.calling.everywhere')
        : null,
})
