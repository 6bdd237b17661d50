import type { Template } from '../../api/shapes'
import { t, type TextKey } from '../../texts/texts'
import { sentenceOf, Trouble } from '../state'
import { Upload } from '../upload'
import { useFileUpload } from '../use-file-upload'
import { fileFormatOf, HEADER_FILES } from './header-files'
import { onCard } from './variables'

interface Props {
  template: Template
  /** The card that it stands on; none stands for the message itself. */
  card?: number | null
  /** What is said about a file that was chosen in place of the one of the template. */
  own: TextKey | null
  /** Sends a file to the server. */
  onFile: (body: FormData, signal: AbortSignal) => Promise<void>
}

/** The picture, film or document above the text. Without one, that of the template is sent. */
export function HeaderField({ template, card = null, own, onFile }: Props) {
  const { isBusy, error, run, cancel } = useFileUpload()
  const format = fileFormatOf(template, card)
  if (format === null) return null
  const ofTemplate =
    card !== null
      ? 'wizard.what.file-card'
      : template.header_media_id === null
        ? 'wizard.what.file-none'
        : 'wizard.what.file-template'
  return (
    <>
      <Upload
        label={onCard(card, t(`templates.choose.${format}`))}
        hint={onCard(card, t(own ?? ofTemplate))}
        {...HEADER_FILES[format]}
        isBusy={isBusy}
        onFile={(file) => {
          const body = new FormData()
          body.set('file', file)
          run((signal) => onFile(body, signal))
        }}
        onCancel={cancel}
      />
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
    </>
  )
}
