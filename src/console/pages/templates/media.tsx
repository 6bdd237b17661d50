import { useRef, useState } from 'react'

import { call } from '../../api/client'
import { useCan } from '../../live/me'
import { Button } from '../../parts/button'
import { report } from '../../parts/toast'
import { t } from '../../texts/texts'

const TYPES = {
  IMAGE: 'image/jpeg,image/png',
  VIDEO: 'video/mp4,video/3gpp',
  DOCUMENT: 'application/pdf',
} as const

interface Props {
  accountId: string
  format: keyof typeof TYPES
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
  const send = (file: File): void => {
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
        accept={TYPES[format]}
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
