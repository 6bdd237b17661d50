import { call } from '../../../api/client'
import { useCan } from '../../../live/me'
import { TextField } from '../../../parts/field'
import { Select } from '../../../parts/select'
import { sentenceOf, Trouble } from '../../../parts/state'
import { Upload } from '../../../parts/upload'
import { useFileUpload } from '../../../parts/use-file-upload'
import { t } from '../../../texts/texts'
import { MEDIA, type Content } from './answer'

const MB = 1_000_000
/** What WhatsApp takes of each kind. */
const FILES = {
  image: { accept: '.jpg,.jpeg,.png', maxBytes: 5 * MB },
  video: { accept: '.mp4,.3gp', maxBytes: 16 * MB },
  audio: { accept: '.mp3,.m4a,.aac,.amr,.ogg', maxBytes: 16 * MB },
  document: { accept: '', maxBytes: 100 * MB },
  sticker: { accept: '.webp', maxBytes: 500_000 },
}

interface Props {
  content: Content
  onChange: (changes: Partial<Content>) => void
}

/** The file of an answer: one that is uploaded, or one at a public address. */
export function FileFields({ content, onChange }: Props) {
  const { isBusy, error, run, cancel } = useFileUpload()
  const mayUpload = useCan('messages:create')
  const kind = content.kind ?? 'image'
  const { media_id: id = null, url } = content
  return (
    <>
      <Select
        name="response_content.kind"
        label={t('bot.rules.file')}
        choices={MEDIA.map((one) => ({ id: one, label: t(`bot.rules.file.${one}`) }))}
        value={content.kind ?? null}
        onChange={(chosen) => {
          onChange({ kind: chosen, media_id: null, url: null })
        }}
      />
      {mayUpload && (
        <Upload
          label={t('bot.rules.upload')}
          hint={t(id === null ? 'bot.rules.no-file' : 'bot.rules.has-file')}
          {...FILES[kind]}
          isBusy={isBusy}
          onFile={(file) => {
            const body = new FormData()
            body.set('file', file)
            run(async (signal) => {
              const made = await call('POST /api/media', { body, signal })
              onChange({
                ...{ kind, media_id: made.id, url: null },
                ...(kind === 'document' ? { filename: file.name.slice(0, 240) } : {}),
              })
            })
          }}
          onCancel={cancel}
        />
      )}
      {error !== null && <Trouble>{sentenceOf(error)}</Trouble>}
      <TextField
        name="response_content.url"
        label={t('bot.rules.url')}
        hint={t('bot.rules.url-hint')}
        inputMode="url"
        value={url ?? ''}
        maxLength={2_000}
        onChange={(text) => {
          onChange(text === '' ? { kind, url: null } : { kind, url: text, media_id: null })
        }}
      />
      {kind === 'document' && (
        <TextField
          name="response_content.filename"
          label={t('bot.rules.filename')}
          value={content.filename ?? ''}
          maxLength={240}
          onChange={(text) => {
            onChange({ filename: text === '' ? null : text })
          }}
        />
      )}
    </>
  )
}
