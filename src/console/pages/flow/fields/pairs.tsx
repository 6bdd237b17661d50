import { useState } from 'react'

import { Button, IconButton } from '../../../parts/button'
import { TextField } from '../../../parts/field'
import { t } from '../../../texts/texts'
import { isObject } from '../model/graph'
import type { FieldAs, FieldProps } from './shape'

type Row = readonly [name: string, value: string]

/** Stands in the place of a value that only the server knows. */
const HIDDEN = '***'

const shownValue = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : value === null || value === undefined
      ? ''
      : JSON.stringify(value)

const rowsOf = (value: unknown): Row[] =>
  isObject(value) ? Object.entries(value).map(([name, one]) => [name, shownValue(one)]) : []

/** A setting of names with values each: what is stored, what is read from an answer, headers. */
export function PairsSetting({
  field,
  config,
  path,
  label,
  hint,
  onChange,
}: FieldProps<FieldAs<'pairs'>>) {
  const stored = rowsOf(config[field.name])
  // rows without a name are not stored yet
  const [unnamed, setUnnamed] = useState(stored.length === 0 && !field.isMore ? 1 : 0)
  const rows: Row[] = [...stored, ...Array.from({ length: unnamed }, (): Row => ['', ''])]
  const set = (next: readonly Row[]): void => {
    const named = next.filter(([name]) => name !== '')
    setUnnamed(next.length - new Set(named.map(([name]) => name)).size)
    const value = Object.fromEntries(named)
    const isKept = named.length > 0 || field.name === 'set'
    onChange({ [field.name]: isKept ? value : undefined })
  }
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {hint !== undefined && <p className="muted small">{hint}</p>}
      {rows.map(([name, value], at) => (
        <div key={at} className="flow-pair">
          <TextField
            label={t(`flow.pair-name.${field.value}`)}
            value={name}
            onChange={(next) => {
              const word = field.value === 'secret' ? next.trim() : next.replaceAll(/\W/g, '_')
              set(rows.with(at, [word, value]))
            }}
          />
          <TextField
            name={`${path}.${name}`}
            label={t(`flow.pair-value.${field.value}`)}
            value={value}
            {...(value === HIDDEN ? { hint: t('flow.pair-hidden') } : {})}
            onChange={(next) => {
              set(rows.with(at, [name, next.replace(HIDDEN, '')]))
            }}
          />
          <IconButton
            icon="close"
            size={16}
            label={t('parts.action.remove', { name })}
            onPress={() => {
              set(rows.toSpliced(at, 1))
            }}
          />
        </div>
      ))}
      {rows.length < field.most && (
        <Button
          look="quiet"
          icon="plus"
          onPress={() => {
            setUnnamed(unnamed + 1)
          }}
        >
          {t(`flow.pair-add.${field.value}`)}
        </Button>
      )}
    </fieldset>
  )
}
