import { useRef, useState } from 'react'

import type { Item } from '../../../api/shapes'
import { PlainButton } from '../../../parts/button'
import { Icon } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatBytes, formatClock, formatNumber } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { download, useFile } from './file'
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
        </p>
      )}
      {caption !== null && caption !== '' && <RichText text={caption} />}
    </>
  )
}

type Media = NonNullable<FileItem['media']>

function ReadyFile({ item, media }: { item: FileItem; media: Media }) {
  if (item.type === 'image' || item.type === 'sticker') return <Picture item={item} media={media} />
  if (item.type === 'document') return <DocumentFile media={media} />
  return <Playable media={media} type={item.type} />
}

function Picture({ item, media }: { item: FileItem; media: Media }) {
  const { url, isError } = useFile(media.id)
  const [isOpen, setOpen] = useState(false)
  const isSticker = item.type === 'sticker'
  const name = media.filename ?? t('inbox.type.image')
  if (isError) return <p className="file-state muted">{t('inbox.media.failed')}</p>
  return (
    <>
      <PlainButton
        className={isSticker ? 'picture sticker' : 'picture'}
        aria-label={t('inbox.media.open', { name })}
        onPress={() => {
          setOpen(true)
        }}
      >
        {/* The box has its size before the picture is there, so that nothing jumps. */}
        <img
          src={url ?? undefined}
          alt=""
          width={media.width ?? undefined}
          height={media.height ?? undefined}
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

/** Returns how long a recording or film is, otherwise how large. */
const lengthOf = ({ duration_ms: ms, size_bytes: bytes }: Media): string => {
  if (ms !== null) return formatClock(ms)
  return bytes === null ? '' : formatBytes(bytes)
}

function Playable({ media, type }: { media: Media; type: 'audio' | 'video' }) {
  const [isWanted, setWanted] = useState(false)
  const { url, isError } = useFile(media.id, isWanted)
  if (isError) return <p className="file-state muted">{t('inbox.media.failed')}</p>
  if (url === null)
    return (
      <PlainButton
        className="play"
        onPress={() => {
          setWanted(true)
        }}
      >
        <span className="message-card-icon">
          <Icon name={isWanted ? 'clock' : 'play'} />
        </span>
        {t(`inbox.media.play-${type}`)}
        <span className="muted small">{lengthOf(media)}</span>
      </PlainButton>
    )
  return type === 'audio' ? (
    <Recording url={url} />
  ) : (
    <video src={url} controls autoPlay className="film" />
  )
}

/** How fast recordings can be played. */
const SPEEDS = [1, 1.5, 2] as const

/** A recording with a button that plays it faster. */
function Recording({ url }: { url: string }) {
  const audio = useRef<HTMLAudioElement>(null)
  const [speed, setSpeed] = useState<number>(1)
  const shown = formatNumber(speed)
  return (
    <span className="recording-line">
      <audio ref={audio} src={url} controls autoPlay />
      <PlainButton
        className="speed"
        aria-label={t('inbox.media.speed', { speed: shown })}
        onPress={() => {
          const next = SPEEDS[(SPEEDS.findIndex((one) => one === speed) + 1) % SPEEDS.length] ?? 1
          if (audio.current) audio.current.playbackRate = next
          setSpeed(next)
        }}
      >
        {shown}×
      </PlainButton>
    </span>
  )
}

function DocumentFile({ media }: { media: Media }) {
  const name = media.filename ?? t('inbox.type.document')
  return (
    <PlainButton
      className="message-card"
      onPress={() => {
        download(media).catch(report)
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
