import { call } from '../../api/client'
import type { Campaign, Template } from '../../api/shapes'
import { useCan } from '../../live/me'
import { Trouble } from '../../parts/state'
import { t } from '../../texts/texts'
import { HeaderField } from '../../parts/template/header-field'
import { cardFilesOf, nameOfVariable } from '../../parts/template/variables'
import { readSource, writeSource, type Mapping } from './sources'
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

interface CardProps {
  template: Template
  mapping: Mapping
  onChange: (mapping: Mapping) => void
}

/** The files above the cards of a template that has none for them here. Everybody gets the same. */
export function CardFiles({ template, mapping, onChange }: CardProps) {
  const mayUpload = useCan('messages:create')
  const files = cardFilesOf(template)
  if (files.length === 0) return null
  if (!mayUpload) return <Trouble>{t('wizard.what.card-files-right')}</Trouble>
  return files.map((one) => {
    const name = nameOfVariable(one)
    return (
      <HeaderField
        key={name}
        template={template}
        card={one.card}
        own={readSource(mapping, name).value === '' ? null : 'wizard.what.file-own'}
        onFile={async (body, signal) => {
          const { id: value } = await call('POST /api/media', { body, signal })
          onChange(writeSource(mapping, name, { kind: 'text', value, otherwise: '' }))
        }}
      />
    )
  })
}
