import { call } from '../../../api/client'
import type { Template } from '../../../api/shapes'
import { TextField } from '../../../parts/field'
import { HeaderField } from '../../../parts/template/header-field'
import { t } from '../../../texts/texts'
import { PLACE, type Values } from './template-values'

interface FileProps {
  template: Template
  /** The file that was uploaded in place of the one of the template. */
  own: string | null
  onChange: (mediaId: string) => void
}

/** The file of a message above the text. */
export function TemplateFile({ template, own, onChange }: FileProps) {
  return (
    <HeaderField
      template={template}
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
export const TemplatePlace = ({ values, onChange }: PlaceProps) =>
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
