import { CountedField } from '../../../parts/counted'
import { TextArea, TextField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { t } from '../../../texts/texts'
import { isObject, objectsIn, textIn } from '../model/graph'
import { splitWords } from './choices'
import type { FieldProps } from './shape'

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
