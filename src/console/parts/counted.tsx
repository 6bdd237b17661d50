import { formatNumber } from '../texts/format'
import { t } from '../texts/texts'
import { TextArea, TextField } from './field'

/** Returns the length of a text as WhatsApp counts it. */
export const lengthOf = (text: string): number => [...text].length

interface Counted {
  value: string
  /** The longest text. */
  most: number
  hint?: string
  /** Returns how long a text is. The server counts some texts in units of two bytes. */
  measure?: (text: string) => number
}

/** Returns the hint of a field with how much of its room is taken. */
export const counted = ({ value, most, hint, measure = lengthOf }: Counted): string =>
  [
    t('parts.field.counted', {
      count: formatNumber(measure(value)),
      most: formatNumber(most),
    }),
    hint,
  ]
    .filter((words) => words !== undefined)
    .join(' · ')

interface Props extends Counted {
  /** Its path in the body, at which the server reports problems. */
  name: string
  label: string
  onChange: (value: string) => void
  isRequired?: boolean
  /** Lines of a field for several ones. */
  rows?: number
}

/** A field whose characters are counted while it is written. */
export function CountedField({ most, hint, measure = lengthOf, rows, ...field }: Props) {
  const shown = counted({
    value: field.value,
    most,
    measure,
    ...(hint === undefined ? {} : { hint }),
  })
  // said only when it is: `false` would hide what the server says about the field
  const isLong = measure(field.value) > most
  const props = { ...field, hint: shown, ...(isLong ? { isInvalid: true } : {}) }
  return rows === undefined ? <TextField {...props} /> : <TextArea {...props} rows={rows} />
}
