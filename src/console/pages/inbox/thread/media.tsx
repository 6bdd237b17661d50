import { useState } from 'react'

import { call } from '../../../api/client'
import type { Item } from '../../../api/shapes'
import { useCan } from '../../../live/me'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { Film, Player } from '../../../parts/player'
import { RichText } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatBytes } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { addressOf, download, shownName } from './file'
import { Viewer } from './viewer'

type FileItem = Extract<Item, { type: 'image' | 'video' | 'audio' | 'document' | 'sticker' }>

/** A message with a file: picture, film, recording or document, and its caption. */
export function FileContent({ item }: { item: FileItem }) {
  const { caption } = item.content
  return (
    <>
      {item.media?.state === 'ready' ? (
        <ReadyFile item={item} media={item.media} />
      ) : (
        <p className="file-state muted">
          <Icon name={item.media?.state === 'pending' ? 'clock' : 'warning'} size={16} />
          {t(`inbox.media.${item.media?.state ?? 'failed'}`)}
          {item.media?.state === 'failed' && <LoadAgain id={item.media.id} />}
        </p>
      )}
      {caption !== null && caption !== '' && <RichText text={caption} />}
    </>
  )
}

/** Asks WhatsApp once more for a file, which it keeps for seven days. An event brings the file. */
function LoadAgain({ id }: { id: string }) {
  const [isBusy, setBusy] = useState(false)
  if (!useCan('messages:create')) return null
  return (
    <PlainButton
      className="link"
      isDisabled={isBusy}
      onPress={() => {
        setBusy(true)
        call('POST /api/media/{id}/retry', { params: { id } })
          .catch(report)
          .finally(() => {
            setBusy(false)
          })
      }}
    >
      {t('parts.action.retry')}
    </PlainButton>
  )
}

type Media = NonNullable<FileItem['media']>

function ReadyFile({ item, media }: { item: FileItem; media: Media }) {
  if (item.type === 'image' || item.type === 'sticker') return <Picture item={item} media={media} />
  if (item.type === 'document') return <DocumentFile media={media} />
  return <Playable media={media} type={item.type} />
}

/** Narrowest and widest form of a picture in the thread; others are cut. */
const MIN_RATIO = 0.75
const MAX_RATIO = 2

/** Returns the form of a picture, so that nothing moves when it arrives. */
const ratioOf = ({ width, height }: Pick<Media, 'width' | 'height'>): number =>
  width === null || height === null || height === 0
    ? 4 / 3
    : Math.min(MAX_RATIO, Math.max(MIN_RATIO, width / height))

function Picture({ item, media }: { item: FileItem; media: Media }) {
  const [isOpen, setOpen] = useState(false)
  const [isBroken, setBroken] = useState(false)
  const isSticker = item.type === 'sticker'
  const name = shownName(media.filename) ?? t('inbox.type.image')
  if (isBroken) return <p className="file-state muted">{t('inbox.media.failed')}</p>
  return (
    <>
      <PlainButton
        className={isSticker ? 'picture sticker' : 'picture'}
        style={{ aspectRatio: isSticker ? 1 : ratioOf(media) }}
        aria-label={t('inbox.media.open', { name })}
        onPress={() => {
          setOpen(true)
        }}
      >
        <img
          src={media.thumbnail_url ?? addressOf(media.id)}
          alt=""
          onError={() => {
            setBroken(true)
          }}
        />
      </PlainButton>
      {isOpen && (
        <Viewer
          item={item}
          onClose={() => {
            setOpen(false)
          }}
        />
      )}
    </>
  )
}

/** What is played, of a message or a call. */
type Sound = Pick<Media, 'id' | 'duration_ms' | 'width' | 'height'>

/** A film or a recording. It is loaded when somebody plays it. */
export function Playable({ media, type }: { media: Sound; type: 'audio' | 'video' }) {
  return type === 'audio' ? (
    <Player url={addressOf(media.id)} lengthMs={media.duration_ms} />
  ) : (
    <Film url={addressOf(media.id)} lengthMs={media.duration_ms} ratio={ratioOf(media)} />
  )
}

function DocumentFile({ media }: { media: Media }) {
  const name = shownName(media.filename) ?? t('inbox.type.document')
  return (
    <PlainButton
      className="message-card"
      onPress={() => {
        download(media)
      }}
    >
      <span className="message-card-icon">
        <Icon name="file" />
      </span>
      <span className="grow">
        <span className="visually-hidden">{t('inbox.media.download')} </span>
        <bdi>{name}</bdi>
        {media.size_bytes !== null && (
          <span className="muted small block">{formatBytes(media.size_bytes)}</span>
        )}
      </span>
      <Icon name="download" size={18} />
    </PlainButton>
  )
}
