import { useState } from 'react'

import { Switch } from '../../../parts/choice'
import { CountedField } from '../../../parts/counted'
import { NumberField, TextArea, TextField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { USUAL_WEEK, Week } from '../../../parts/week'
import { findText, t } from '../../../texts/texts'
import { isObject, objectsIn, textIn } from '../model/graph'
import { splitWords } from './choices'
import type { FieldAs, FieldProps } from './shape'

/** A setting that is one of several words. */
export function ChoiceSetting(props: FieldProps<FieldAs<'choice'>>) {
  const { field, node, config, label, hint, onChange } = props
  const { name, options, usual } = field
  const textFor = (option: string): string =>
    findText(`flow.option.${node.type}.${name}.${option}`) ??
    findText(`flow.option.${name}.${option}`) ??
    option
  return (
    <Select
      label={label}
      {...(hint === undefined ? {} : { hint })}
      choices={[
        ...(usual === null ? [{ id: '', label: t('flow.unchanged') }] : []),
        ...options.map((id) => ({ id, label: textFor(id) })),
      ]}
      value={textIn(config[name]) || (usual ?? '')}
      onChange={(id) => {
        onChange({ [name]: id === '' ? undefined : id })
      }}
    />
  )
}

/** A setting that is a whole number. */
export function NumberSetting(props: FieldProps<FieldAs<'number'>>) {
  const { field, config, path, label, hint, onChange } = props
  const value = config[field.name]
  return (
    <NumberField
      name={path}
      label={label}
      {...(hint === undefined ? {} : { hint })}
      value={typeof value === 'number' ? value : null}
      range={field.range}
      onChange={(number) => {
        onChange({ [field.name]: number })
      }}
      onClear={() => {
        onChange({ [field.name]: undefined })
      }}
    />
  )
}

const UNITS = [
  ['hours', 3_600],
  ['minutes', 60],
  ['seconds', 1],
] as const

/** How long a flow waits. */
export function SecondsSetting({ config, path, label, onChange }: FieldProps) {
  const seconds = typeof config['seconds'] === 'number' ? config['seconds'] : 60
  const fitting = UNITS.find(([, length]) => seconds % length === 0)?.[0] ?? 'seconds'
  const [unit, setUnit] = useState<string>(fitting)
  const length = UNITS.find(([name]) => name === unit)?.[1] ?? 1
  const value = Math.round(seconds / length)
  return (
    <div className="flow-seconds">
      <NumberField
        name={path}
        label={label}
        value={value}
        range={[1, Math.floor(86_400 / length)]}
        onChange={(number) => {
          onChange({ seconds: number * length })
        }}
      />
      <Select
        label={t('flow.unit')}
        choices={UNITS.map(([id]) => ({ id, label: t(`flow.unit.${id}`) }))}
        value={unit}
        onChange={(next) => {
          setUnit(next)
          onChange({ seconds: value * (UNITS.find(([name]) => name === next)?.[1] ?? 1) })
        }}
      />
    </div>
  )
}

/** The name under which a flow keeps an answer. */
export const VariableSetting = ({
  field,
  config,
  path,
  label,
  hint,
  onChange,
}: FieldProps<FieldAs<'variable'>>) => (
  <TextField
    name={path}
    label={label}
    {...(hint === undefined ? {} : { hint })}
    value={textIn(config[field.name])}
    maxLength={64}
    onChange={(text) => {
      const name = text.replaceAll(/\s+/g, '_').replaceAll(/\W/g, '')
      onChange({ [field.name]: name === '' ? undefined : name })
    }}
  />
)

/** The least or greatest answer: a number, letters of a text, or a day. */
export function BoundSetting(props: FieldProps<FieldAs<'bound'>>) {
  const { field, config, path, label, onChange } = props
  const input = textIn(config['input'])
  if (input !== 'number' && input !== 'text' && input !== 'date') return null
  const value = config[field.name]
  return (
    <TextField
      name={path}
      label={label}
      hint={t(`flow.bound.${input}`)}
      defaultValue={typeof value === 'number' || typeof value === 'string' ? String(value) : ''}
      key={input}
      inputMode={input === 'date' ? 'text' : 'decimal'}
      onChange={(text) => {
        const written = text.trim()
        const number = Number(written)
        const isNumber = input !== 'date' && written !== '' && Number.isFinite(number)
        onChange({ [field.name]: written === '' ? undefined : isNumber ? number : written })
      }}
    />
  )
}

/** The hours between which a flow decides: those of the organization, or a week of its own. */
export function HoursSetting({ config, onChange }: FieldProps) {
  const isUsual = config['use_business_hours'] === true
  const hours = objectsIn(config['schedule']) as unknown as typeof USUAL_WEEK // as the server took it
  return (
    <>
      <Switch
        isSelected={isUsual}
        onChange={(isOn) => {
          onChange({
            use_business_hours: isOn,
            schedule: isOn ? undefined : hours.length > 0 ? hours : USUAL_WEEK,
          })
        }}
      >
        {t('flow.timing.usual')}
      </Switch>
      {!isUsual && (
        <Week
          hours={hours}
          onChange={(schedule) => {
            onChange({ schedule })
          }}
        />
      )}
    </>
  )
}

/** The top of a message with a link: words, or the address of a file. */
export function HeaderSetting({ config, path, label, onChange }: FieldProps) {
  const { header } = config
  const kind = isObject(header) ? textIn(header['type']) : 'text'
  const value = isObject(header) ? textIn(header['media_url']) : textIn(header)
  const set = (type: string, text: string): void => {
    const isNone = text === '' && type === 'text'
    onChange({ header: isNone ? undefined : type === 'text' ? text : { type, media_url: text } })
  }
  return (
    <>
      <Select
        label={label}
        choices={['text', 'image', 'video', 'document'].map((id) => ({
          id,
          label: t(`flow.header.${id as 'text'}`),
        }))}
        value={kind}
        onChange={(type) => {
          set(type, '')
        }}
      />
      <TextField
        name={path}
        label={t(kind === 'text' ? 'flow.header-text' : 'flow.header-address')}
        value={value}
        onChange={(text) => {
          set(kind, text)
        }}
      />
    </>
  )
}

/** The products of a message, in sections. */
export function ProductsSetting({ config, path, label, hint, onChange }: FieldProps) {
  const sections = objectsIn(config['sections'])
  const set = (at: number, changes: Record<string, unknown>): void => {
    onChange({ sections: sections.with(at, { ...sections[at], ...changes }) })
  }
  return (
    <fieldset className="flow-fieldset">
      <legend>{label}</legend>
      {hint !== undefined && <p className="muted small">{hint}</p>}
      {sections.map((section, at) => (
        <div key={at} className="flow-section">
          <CountedField
            name={`${path}.${at}.title`}
            label={t('flow.section', { number: at + 1 })}
            most={24}
            value={textIn(section['title'])}
            onChange={(title) => {
              set(at, { title })
            }}
          />
          <TextArea
            name={`${path}.${at}.product_retailer_ids`}
            label={t('flow.products')}
            hint={t('flow.products-hint')}
            defaultValue={listOf(section['product_retailer_ids']).join('\n')}
            onChange={(text) => {
              set(at, { product_retailer_ids: splitWords(text) })
            }}
          />
        </div>
      ))}
    </fieldset>
  )
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
