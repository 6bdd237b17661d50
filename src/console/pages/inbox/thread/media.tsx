import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'

import { request } from '../../../api/client'
import type { Item } from '../../../api/shapes'
import { Button, PlainButton } from '../../../parts/button'
import { Dialog } from '../../../parts/dialog'
import { Icon } from '../../../parts/icons'
import { RichText } from '../../../parts/rich-text'
import { report } from '../../../parts/toast'
import { formatBytes } from '../../../texts/format'
import { t } from '../../../texts/texts'

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
  if (item.type === 'image' || item.type === 'sticker')
    return <Picture media={media} isSticker={item.type === 'sticker'} />
  if (item.type === 'document') return <DocumentFile media={media} />
  return <Playable media={media} type={item.type} />
}

/** Loads a file; its address is freed when nothing shows it anymore. */
function useFile(id: string, isNeeded = true): { url: string | null; isError: boolean } {
  const { data, isError } = useQuery({
    queryKey: ['file', id],
    queryFn: async ({ signal }) =>
      await (await request('GET /api/media/{id}', { params: { id }, signal })).blob(),
    enabled: isNeeded,
    gcTime: 60_000,
  })
  const [url, setUrl] = useState<string | null>(null)
  useEffect(() => {
    if (!data) return
    const made = URL.createObjectURL(data)
    setUrl(made)
    return () => {
      URL.revokeObjectURL(made)
    }
  }, [data])
  return { url, isError }
}

function Picture({ media, isSticker }: { media: Media; isSticker: boolean }) {
  const { url, isError } = useFile(media.id)
  const [isOpen, setOpen] = useState(false)
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
        {url !== null && <img src={url} alt="" />}
      </PlainButton>
      <Dialog
        title={name}
        size="large"
        isOpen={isOpen}
        onClose={() => {
          setOpen(false)
        }}
      >
        {url !== null && <img className="viewer" src={url} alt={name} />}
        <footer className="actions">
          <Button
            icon="download"
            onPress={() => {
              download(media).catch(report)
            }}
          >
            {t('inbox.media.download')}
          </Button>
        </footer>
      </Dialog>
    </>
  )
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
        {media.size_bytes !== null && (
          <span className="muted small">{formatBytes(media.size_bytes)}</span>
        )}
      </PlainButton>
    )
  return type === 'audio' ? (
    <audio src={url} controls autoPlay />
  ) : (
    <video src={url} controls autoPlay className="film" />
  )
}

async function download({ id, filename }: Media): Promise<void> {
  const response = await request('GET /api/media/{id}', { params: { id } })
  const url = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = url
  link.download = filename ?? id
  link.click()
  setTimeout(() => {
    URL.revokeObjectURL(url)
  }, 1_000)
}

function DocumentFile({ media }: { media: Media }) {
  const name = media.filename ?? t('inbox.type.document')
  return (
    <PlainButton
      className="message-card"
      aria-label={t('inbox.media.download-name', { name })}
      onPress={() => {
        download(media).catch(report)
      }}
    >
      <span className="message-card-icon">
        <Icon name="file" />
      </span>
      <span className="grow">
        <bdi>{name}</bdi>
        {media.size_bytes !== null && (
          <span className="muted small block">{formatBytes(media.size_bytes)}</span>
        )}
      </span>
      <Icon name="download" size={18} />
    </PlainButton>
  )
}
