import { call } from '../../api/client'
import type { Template } from '../../api/shapes'
import { TextField } from '../field'
import { HeaderField } from './header-field'
import { t } from '../../texts/texts'
import { serverNow } from '../../live/server-clock'
import { dayOf, endOfDay } from '../../texts/format'
import { DateField } from '../date-field'
import { Trouble } from '../state'
import { beyondOf, hasOfferEnd, hasPlace, OFFER_END, PLACE, type Values } from './values'
import { cardFilesOf, isCode, nameOfVariable, onCard, wordsOf, type Variable } from './variables'

interface Props {
  template: Template
  values: Values
  onChange: (name: string, value: string) => void
  /** The file that was uploaded in place of the one of the template. */
  own: string | null
  onFile: (mediaId: string) => void
}

/** A field for everything that a template needs when it is sent: its file, its place, its words. */
export const ValueFields = ({ template, values, onChange, own, onFile }: Props) => (
  <>
    {beyondOf(template).length > 0 && <Trouble>{t('inbox.template.beyond')}</Trouble>}
    <TemplateFile template={template} own={own} onChange={onFile} />
    {cardFilesOf(template).map((one) => {
      const name = nameOfVariable(one)
      return (
        <TemplateFile
          key={name}
          template={template}
          card={one.card}
          own={values[name] ?? null}
          onChange={(mediaId) => {
            onChange(name, mediaId)
          }}
        />
      )
    })}
    {hasPlace(template) && <TemplatePlace values={values} onChange={onChange} />}
    <Words template={template} values={values} onChange={onChange} />
  </>
)

interface FileProps {
  template: Template
  card?: number | null
  /** The file that was uploaded in place of the one of the template. */
  own: string | null
  onChange: (mediaId: string) => void
}

/** The file of a message above the text. */
function TemplateFile({ template, card = null, own, onChange }: FileProps) {
  return (
    <HeaderField
      template={template}
      card={card}
      own={own === null ? null : 'inbox.template.file-own'}
      onFile={async (body, signal) => {
        onChange((await call('POST /api/media', { body, signal })).id)
      }}
    />
  )
}

interface PlaceProps {
  values: Values
  onChange: (name: string, value: string) => void
}

/** The place above the text. */
const TemplatePlace = ({ values, onChange }: PlaceProps) =>
  PLACE.map((part) => (
    <TextField
      key={part}
      label={t(`inbox.template.place.${part}`)}
      isRequired={part === 'latitude' || part === 'longitude'}
      inputMode={part === 'latitude' || part === 'longitude' ? 'decimal' : 'text'}
      value={values[`header.${part}`] ?? ''}
      onChange={(value) => {
        onChange(`header.${part}`, value)
      }}
    />
  ))

interface WordsProps {
  template: Template
  values: Values
  onChange: (name: string, value: string) => void
}

/** A field for each value of a template that is written. */
function Words({ template, values, onChange }: WordsProps) {
  const words = wordsOf(template)
  const end = values[OFFER_END] ?? ''
  if (template.variables.length === 0)
    return <p className="muted">{t('inbox.template.no-values')}</p>
  return (
    <>
      {words.map((one) => {
        const name = nameOfVariable(one)
        return (
          <TextField
            key={name}
            label={labelOf(template, one)}
            placeholder={one.example ?? ''}
            isRequired={one.required}
            value={values[name] ?? ''}
            onChange={(value) => {
              onChange(name, value)
            }}
          />
        )
      })}
      {hasOfferEnd(template) && (
        <DateField
          label={t('wizard.what.offer-ends')}
          value={end === '' ? null : dayOf(Date.parse(end) - 1)}
          first={dayOf(serverNow())}
          onChange={(day) => {
            onChange(OFFER_END, new Date(endOfDay(day)).toISOString())
          }}
        />
      )}
    </>
  )
}

function labelOf(template: Template, variable: Variable): string {
  const { component, key, index, card } = variable
  if (isCode(template, variable)) return t('wizard.what.code')
  const name =
    component === 'BUTTONS'
      ? t('wizard.what.in-button', { number: (index ?? 0) + 1 })
      : t('inbox.template.value', { name: key })
  return onCard(card, name)
}
