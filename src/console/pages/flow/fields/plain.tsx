import { NumberField, TextField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { findText, t } from '../../../texts/texts'
import { textIn } from '../model/graph'
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
