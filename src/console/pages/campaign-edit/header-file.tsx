import { call } from '../../api/client'
import type { Campaign, Template } from '../../api/shapes'
import { partOf } from '../../parts/phone/message'
import { sentenceOf, Trouble } from '../../parts/state'
import { Upload } from '../../parts/upload'
import { t } from '../../texts/texts'
import { useKeep } from './use-save'
import { useSending } from './use-sending'

/** The files that a header takes, and how large WhatsApp lets them be. */
const FORMATS = {
  IMAGE: { accept: 'image/jpeg,image/png', maxBytes: 5_000_000 },
  VIDEO: { accept: 'video/mp4,video/3gpp', maxBytes: 16_000_000 },
  DOCUMENT: { accept: 'application/pdf', maxBytes: 100_000_000 },
} as const

const isFormat = (format: string): format is keyof typeof FORMATS => format in FORMATS

interface Props {
  campaign: Campaign | null
  template: Template
  onSave: () => Promise<Campaign>
}

/** The picture, film or document above the text. Without one, that of the template is sent. */
export function HeaderFile({ campaign, template, onSave }: Props) {
  const keep = useKeep()
  const { isBusy, error, run, cancel } = useSending()
  const written = partOf(template.components, 'HEADER')?.['format']
  const format = typeof written === 'string' ? written.toUpperCase() : ''
  if (!isFormat(format)) return null
  const send = async (file: File, signal: AbortSignal): Promise<void> => {
    const { id } = await onSave()
    const params = { id }
    const body = new FormData()
    body.set('file', file)
    await call('POST /api/campaigns/{id}/media', { params, body, signal })
    keep(await call('GET /api/campaigns/{id}', { params }))
  }
  const hasOwn = campaign?.header_media_id != null
  const hint = hasOwn
    ? 'wizard.what.file-own'
    : template.header_media_id === null
      ? 'wizard.what.file-none'
      : 'wizard.what.file-template'
  return (
    <>
      <Upload
        label={t(`templates.choose.${format}`)}
        hint={t(hint)}
        {...FORMATS[format]}
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
