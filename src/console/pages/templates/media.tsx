import { useRef, useState } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { HEADER_FILES } from '../../parts/template/header-files'
import { notify, report } from '../../parts/toast'
import { formatBytes } from '../../texts/format'
import { t } from '../../texts/texts'

interface Props {
  accountId: string
  format: keyof typeof HEADER_FILES
  mediaId: string | null
  onChange: (mediaId: string) => void
}

/**
 * The file of a header: the sample for WhatsApp's review, and what is sent if nothing else is chosen.
 * Only those who may write new templates can choose another one.
 */
export function MediaField({ accountId, format, mediaId, onChange }: Props) {
  const input = useRef<HTMLInputElement>(null)
  const maySend = useCan('templates:create')
  const [isBusy, setBusy] = useState(false)
  if (!maySend) return null
  const { accept, maxBytes } = HEADER_FILES[format]
  const send = (file: File): void => {
    if (file.size > maxBytes) {
      const sizes = { size: formatBytes(file.size), limit: formatBytes(maxBytes) }
      notify(t('parts.upload.too-large', sizes))
      return
    }
    const body = new FormData()
    body.set('account_id', accountId)
    body.set('file', file)
    setBusy(true)
    call('POST /api/templates/upload-media', { body })
      .then((made) => {
        onChange(made.media_id)
      })
      .catch(report)
      .finally(() => {
        setBusy(false)
      })
  }
  return (
    <div className="media-field">
      <input
        ref={input}
        type="file"
        hidden
        accept={accept}
        aria-label={t(`templates.choose.${format}`)}
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file) send(file)
          target.value = ''
        }}
      />
      <Button
        icon="attach"
        isPending={isBusy}
        isDisabled={accountId === ''}
        onPress={() => input.current?.click()}
      >
        {t(mediaId === null ? `templates.choose.${format}` : 'templates.choose-other')}
      </Button>
      <p className="muted small">{t(`templates.media-hint.${format}`)}</p>
    </div>
  )
}
