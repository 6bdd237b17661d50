import { call } from '../../api/client'
import type { Campaign, Template } from '../../api/shapes'
import { sentenceOf, Trouble } from '../../parts/state'
import { fileFormatOf, HEADER_FILES } from '../../parts/template/header-files'
import { Upload } from '../../parts/upload'
import { useSending } from '../../parts/use-sending'
import { t } from '../../texts/texts'
import { useKeep } from './use-save'

interface Props {
  campaign: Campaign | null
  template: Template
  onSave: () => Promise<Campaign>
}

/** The picture, film or document above the text. Without one, that of the template is sent. */
export function HeaderFile({ campaign, template, onSave }: Props) {
  const keep = useKeep()
  const { isBusy, error, run, cancel } = useSending()
  const format = fileFormatOf(template)
  if (format === null) return null
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
