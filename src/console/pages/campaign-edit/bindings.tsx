import type { Template } from '../../api/shapes'
import { WRITTEN_FIELDS } from '../../parts/contact/written-fields'
import { DateField } from '../../parts/date-field'
import { TextField } from '../../parts/field'
import { useCustomFields } from '../../parts/filter/fields'
import { SearchSelect } from '../../parts/search-select'
import type { Choice } from '../../parts/select'
import { dayOf, endOfDay } from '../../texts/format'
import { findText, t } from '../../texts/texts'
import { serverNow } from '../../live/server-clock'
import { readSource, writeSource, type Mapping, type Source } from './sources'
import {
  isCode,
  nameOfVariable,
  onCard,
  wordsOf,
  type Variable,
} from '../../parts/template/variables'

interface Props {
  template: Template
  mapping: Mapping
  /** The columns of the file, if there is one. */
  columns: readonly string[]
  onChange: (mapping: Mapping) => void
}

const TEXT = 'text'

/** Where each value of a template comes from. */
export function Bindings({ template, mapping, columns, onChange }: Props) {
  const choices = useChoices(columns)
  const variables = wordsOf(template)
  const hasEnd = template.variables.some(({ key }) => key === 'expires_at')
  if (variables.length === 0 && !hasEnd)
    return <p className="muted">{t('inbox.template.no-values')}</p>
  return (
    <>
      <h3>{t('wizard.what.values')}</h3>
      {variables.map((variable) => {
        const name = nameOfVariable(variable)
        return (
          <Binding
            key={name}
            name={name}
            label={labelOf(template, variable)}
            example={variable.example}
            source={readSource(mapping, name)}
            choices={choices}
            onChange={(source) => {
              onChange(writeSource(mapping, name, source))
            }}
          />
        )
      })}
      {hasEnd && <OfferEnd mapping={mapping} onChange={onChange} />}
    </>
  )
}

/** What a variable is called: as it stands in the text, or by its place. */
export function labelOf(template: Template, variable: Variable): string {
  const { component, key, index, card } = variable
  if (isCode(template, variable)) return t('wizard.what.code')
  const place =
    component === 'BUTTONS'
      ? t('wizard.what.in-button', { number: (index ?? 0) + 1 })
      : component === 'HEADER'
        ? t('wizard.what.in-header', { name: `{{${key}}}` })
        : `{{${key}}}`
  return onCard(card, place)
}

/** Everything a value can come from: text, fields of contacts, columns of a file. */
function useChoices(columns: readonly string[]): Choice<string>[] {
  const own = useCustomFields().data?.items ?? []
  return [
    { id: TEXT, label: t('wizard.what.text') },
    { id: 'field:name', label: t('contact.name') },
    { id: 'field:phone_number', label: t('contacts.number') },
    ...WRITTEN_FIELDS.map((id) => ({
      id: `field:${id}`,
      label: findText(`contact.field.${id}`) ?? id,
    })),
    ...own.map(({ key, label }) => ({ id: `field:attributes.${key}`, label })),
    ...columns.map((name) => ({
      id: `column:${name}`,
      label: t('wizard.what.column', { name }),
    })),
  ]
}

const idOf = ({ kind, value }: Source): string => (kind === 'text' ? TEXT : `${kind}:${value}`)

function sourceAt(id: string, before: Source): Source {
  const { otherwise } = before
  if (id.startsWith('field:')) return { kind: 'field', value: id.slice(6), otherwise }
  if (id.startsWith('column:')) return { kind: 'column', value: id.slice(7), otherwise }
  return { kind: 'text', value: '', otherwise: '' }
}

interface BindingProps {
  name: string
  label: string
  example: string | null
  source: Source
  choices: readonly Choice<string>[]
  onChange: (source: Source) => void
}

function Binding({ name, label, example, source, choices, onChange }: BindingProps) {
  const id = idOf(source)
  const isKnown = choices.some((one) => one.id === id)
  const isText = source.kind === 'text'
  return (
    <div className="wizard-row wide" role="group" aria-label={label}>
      <SearchSelect
        label={label}
        choices={isKnown ? choices : [...choices, { id, label: source.value }]}
        value={id}
        onChange={(next) => {
          onChange(sourceAt(next, source))
        }}
      />
      <TextField
        name={`variable_mapping.${name}`}
        label={t(isText ? 'wizard.what.text' : 'wizard.what.otherwise')}
        placeholder={isText ? (example ?? '') : ''}
        isRequired={isText}
        maxLength={1_024}
        value={isText ? source.value : source.otherwise}
        onChange={(words) => {
          onChange(isText ? { ...source, value: words } : { ...source, otherwise: words })
        }}
      />
    </div>
  )
}

/** The day on which an offer ends, the same for everybody. */
function OfferEnd({ mapping, onChange }: Pick<Props, 'mapping' | 'onChange'>) {
  const name = 'offer_expires_at'
  const { value } = readSource(mapping, name)
  return (
    <DateField
      name={`variable_mapping.${name}`}
      label={t('wizard.what.offer-ends')}
      value={value === '' ? null : dayOf(Date.parse(value) - 1)}
      first={dayOf(serverNow())}
      onChange={(day) => {
        const source = { kind: 'text', value: new Date(endOfDay(day)).toISOString() } as const
        onChange(writeSource(mapping, name, { ...source, otherwise: '' }))
      }}
      onClear={() => {
        onChange(writeSource(mapping, name, { kind: 'text', value: '', otherwise: '' }))
      }}
    />
  )
}
