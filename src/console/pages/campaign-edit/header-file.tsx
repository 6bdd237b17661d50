import { call } from '../../api/client'
import type { Campaign, Template } from '../../api/shapes'
import { HeaderField } from '../../parts/template/header-field'
import { useKeep } from './use-save'

interface Props {
  campaign: Campaign | null
  template: Template
  onSave: () => Promise<Campaign>
}

/** The file of a campaign above the text. It is saved before its file is sent. */
export function HeaderFile({ campaign, template, onSave }: Props) {
  const keep = useKeep()
  const send = async (body: FormData, signal: AbortSignal): Promise<void> => {
    const { id } = await onSave()
    const params = { id }
    await call('POST /api/campaigns/{id}/media', { params, body, signal })
    keep(await call('GET /api/campaigns/{id}', { params }))
  }
  return (
    <HeaderField
      template={template}
      own={campaign?.header_media_id == null ? null : 'wizard.what.file-own'}
      onFile={send}
    />
  )
}
