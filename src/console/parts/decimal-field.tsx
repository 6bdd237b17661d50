import { useState } from 'react'

import { t } from '../texts/texts'
import { TextField } from './field'

interface Props {
  name: string
  label: string
  hint?: string
  /** The value, or `null` for an empty field. */
  value: number | null
  range: readonly [least: number, most: number]
  /** Is told `null` when the field is emptied. */
  onChange: (value: number | null) => void
}

/** Reads a number with decimals behind a point or a comma; `null` if it is none. */
const numberIn = (text: string): number | null => {
  const plain = text.replace(',', '.')
  return /^\d+(?:\.\d*)?$/.test(plain) ? Number(plain) : null
}

/** A field for a number with decimals. What was no number is forgotten when the field is left. */
export function DecimalField({ value, range, onChange, ...props }: Props) {
  const [written, setWritten] = useState<string | null>(null)
  const [least, most] = range
  return (
    <TextField
      {...props}
      inputMode="decimal"
      value={written ?? String(value ?? '')}
      onChange={(text) => {
        const kept = text.replaceAll(/[^\d.,]/g, '').slice(0, 12)
        setWritten(kept)
        const number = numberIn(kept)
        if (number !== null) onChange(number)
        else if (kept === '') onChange(null)
      }}
      onBlur={() => {
        setWritten(null)
      }}
      validate={() =>
        value !== null && (value < least || value > most)
          ? t('parts.field.range', { least, most })
          : null
      }
    />
  )
}
