import { useState } from 'react'

import { download, saveFile } from '../../../api/save-file'
import { useCan } from '../../../live/me'
import { Button } from '../../../parts/button'
import { CountedField } from '../../../parts/counted'
import { Dialog } from '../../../parts/dialog'
import { FormDialog } from '../../../parts/form-dialog'
import { QrCode, qrPicture } from '../../../parts/qr-code'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { MOST, type ChatLink } from './entry-values'

interface Props {
  /** The link that gets another message; `null` for a new one. */
  link: ChatLink | null
  onSave: (message: string) => Promise<unknown>
  onClose: () => void
}

/** The window in which a link is made, or gets another message. */
export function LinkDialog({ link, onSave, onClose }: Props) {
  const [message, setMessage] = useState(link?.message ?? '')
  return (
    <FormDialog
      title={t(link ? 'number.link.edit' : 'number.link.add')}
      submit={t('parts.action.save')}
      onSave={() => onSave(message)}
      onClose={onClose}
    >
      <CountedField
        name="message"
        label={t('number.link.message')}
        hint={t('number.link.message-hint')}
        most={MOST.link}
        measure={(text) => text.length}
        rows={3}
        isRequired
        value={message}
        onChange={setMessage}
      />
    </FormDialog>
  )
}

/** Saves the QR code: the picture of WhatsApp if there is one, otherwise one of our own. */
function save({ id, url }: ChatLink, media: string | null): void {
  const name = `whatsapp-${id}`
  if (media === null) return download(qrPicture(url ?? ''), `${name}.svg`)
  const wish = { params: { id: media }, query: { download: '1' as const } }
  saveFile('GET /api/media/{id}', wish, `${name}.png`).catch(report)
}

/** The QR code of a link, to be printed. */
export function QrDialog({ link, onClose }: { link: ChatLink; onClose: () => void }) {
  const label = t('number.link.qr-of', { message: link.message })
  const canOpenFiles = useCan('messages:read')
  const media = canOpenFiles ? link.qr_media_id : null
  return (
    <Dialog title={t('number.link.qr')} isOpen onClose={onClose}>
      <p className="wrapped" dir="auto">
        {link.message}
      </p>
      {media === null ? (
        <QrCode text={link.url ?? ''} label={label} />
      ) : (
        <img className="qr-code" src={`/api/media/${media}`} alt={label} />
      )}
      <p className="muted wrapped">
        <bdi dir="ltr">{link.url}</bdi>
      </p>
      <footer className="actions">
        <Button
          look="primary"
          icon="download"
          onPress={() => {
            save(link, media)
          }}
        >
          {t('number.link.save')}
        </Button>
      </footer>
    </Dialog>
  )
}
