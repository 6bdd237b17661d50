import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import type { Item } from '../../../api/shapes'
import { itemsInThread } from '../../../live/thread'
import { Button, IconButton } from '../../../parts/button'
import { Dialog } from '../../../parts/dialog'
import { t } from '../../../texts/texts'
import { addressOf, download, shownName } from './file'

type Media = NonNullable<Item['media']>

/** Returns the pictures of a thread that are loaded, from old to new. */
const picturesOf = (items: readonly Item[]): Media[] =>
  items.flatMap(({ type, media, revoked_at: revokedAt }) =>
    type === 'image' && media?.state === 'ready' && revokedAt === null ? [media] : [],
  )

/** A picture in full size. Arrows lead to the other pictures of the thread. */
export function Viewer({ item, onClose }: { item: Item; onClose: () => void }) {
  const client = useQueryClient()
  const [pictures] = useState(() => picturesOf(itemsInThread(client, item.conversation_id)))
  const [id, setId] = useState(item.media?.id)
  const at = pictures.findIndex((one) => one.id === id)
  const media = pictures[at] ?? item.media
  const name = shownName(media?.filename) ?? t('inbox.type.image')
  const step = (by: 1 | -1): void => {
    const next = pictures[at + by]
    if (next) setId(next.id)
  }
  return (
    <Dialog title={name} size="large" isOpen onClose={onClose}>
      <div
        className="viewer-stage"
        onKeyDown={({ key }) => {
          const isRtl = document.documentElement.dir === 'rtl'
          if (key === 'ArrowLeft') step(isRtl ? 1 : -1)
          if (key === 'ArrowRight') step(isRtl ? -1 : 1)
        }}
      >
        {media && <img className="viewer" src={addressOf(media.id)} alt={name} />}
        <footer className="actions">
          {pictures.length > 1 && (
            <>
              <IconButton
                icon="left"
                label={t('inbox.media.previous')}
                isDisabled={at <= 0}
                onPress={() => {
                  step(-1)
                }}
              />
              <span className="muted">
                {t('inbox.media.position', { at: at + 1, count: pictures.length })}
              </span>
              <IconButton
                icon="right"
                label={t('inbox.media.next')}
                isDisabled={at === pictures.length - 1}
                onPress={() => {
                  step(1)
                }}
              />
              <span className="grow" />
            </>
          )}
          <Button
            icon="download"
            autoFocus
            onPress={() => {
              if (media) download(media)
            }}
          >
            {t('inbox.media.download')}
          </Button>
        </footer>
      </div>
    </Dialog>
  )
}
