import { useState } from 'react'
import { FieldError, Input, TextField } from 'react-aria-components'

import { formatTimeOfDay } from '../texts/format'
import { t } from '../texts/texts'
import { readTimeOfDay } from '../texts/time-of-day'

interface Props {
  /** For screen readers: what begins or ends then. */
  label: string
  /** `HH:MM`. */
  value: string
  onChange: (time: string) => void
}

/**
 * A field for a time of day. It is written as people write it, with few keys, and reads as the
 * language writes times once it is left.
 */
export function TimeField({ label, value, onChange }: Props) {
  const [written, setWritten] = useState<string | null>(null)
  return (
    <TextField
      className="field time-field"
      aria-label={label}
      value={written ?? formatTimeOfDay(value)}
      onChange={(text) => {
        setWritten(text)
        const time = readTimeOfDay(text)
        if (time !== null) onChange(time)
      }}
      onBlur={() => {
        if (written !== null && readTimeOfDay(written) !== null) setWritten(null)
      }}
      validate={(text) => (readTimeOfDay(text) === null ? t('parts.field.time') : null)}
    >
      <Input />
      <FieldError />
    </TextField>
  )
}
