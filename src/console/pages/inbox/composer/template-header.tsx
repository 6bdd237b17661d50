import { call } from '../../../api/client'
import type { Template } from '../../../api/shapes'
import { TextField } from '../../../parts/field'
import { sentenceOf, Trouble } from '../../../parts/state'
import { fileFormatOf, HEADER_FILES } from '../../../parts/template/header-files'
import { Upload } from '../../../parts/upload'
import { useSending } from '../../../parts/use-sending'
import { t } from '../../../texts/texts'
import { PLACE, type Values } from './template-values'

interface FileProps {
  template: Template
  /** The file that was uploaded in place of the one of the template. */
  own: string | null
  onChange: (mediaId: string) => void
}

/** The picture, film or document above the text. Without one, that of the template is sent. */
export function TemplateFile({ template, own, onChange }: FileProps) {
  const { isBusy, error, run, cancel } = useSending()
  const format = fileFormatOf(template)
  if (format === null) return null
  const send = async (file: File, signal: AbortSignal): Promise<void> => {
    const body = new FormData()
    body.set('file', file)
    onChange((await call('POST /api/media', { body, signal })).id)
  }
  const hint =
    own !== null
      ? 'inbox.template.file-own'
      : template.header_media_id === null
        ? 'wizard.what.file-none'
        : 'wizard.what.file-template'
  return (
    <>
      <Upload
        label={t(`templates.choose.${format}`)}
        hint={t(hint)}
        {...HEADER_FILES[format]}
        isBusy={isBusy}
        onFile={(file) => {
          run((signal) => send(file, signal))
        }}
        onCancel={cancel}
      />
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
    </>
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
