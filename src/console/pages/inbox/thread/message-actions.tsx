import { Suspense, useState } from 'react'

import { call } from '../../../api/client'
import type { Item } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useIsNarrow } from '../../../parts/narrow'
import { IconButton, PlainButton } from '../../../parts/button'
import { copyText } from '../../../parts/copy'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { Popover } from '../../../parts/popover'
import { report } from '../../../parts/toast'
import { t } from '../../../texts/texts'
import { late } from '../../../parts/late'

interface Props {
  item: Item
  onReply: (messageId: string) => void
}

const MessageDetails = late(async () => (await import('./message-details')).MessageDetails)

const EMOJIS = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** Reacts with an emoji; an empty one removes the reaction. */
function react({ id, contact_id }: Item, emoji: string): void {
  call('POST /api/contacts/{id}/messages/{message_id}/reaction', {
    params: { id: contact_id, message_id: id },
    body: { emoji },
  }).catch(report)
}

const wordsOf = ({ content }: Item): string | null =>
  'text' in content && typeof content.text === 'string' ? content.text : null

/** What can be done with a message: buttons beside it, on phones one menu. */
export function MessageActions({ item, onReply }: Props) {
  const mayWrite = useCan('messages:create')
  const me = useMe()
  const isNarrow = useIsNarrow()
  const own = item.reactions.find(({ user_id }) => user_id === me.id)?.emoji ?? null
  const [isOpen, setOpen] = useState(false)
  if (item.type === 'call') return null
  const onDetails = (): void => {
    setOpen(true)
  }
  return (
    <div className="bubble-actions">
      {isNarrow ? (
        <ActionMenu {...{ item, onReply, onDetails, own, mayWrite }} />
      ) : (
        <Buttons {...{ item, onReply, onDetails, own, mayWrite }} />
      )}
      {isOpen && (
        <Suspense>
          <MessageDetails
            id={item.id}
            onClose={() => {
              setOpen(false)
            }}
          />
        </Suspense>
      )}
    </div>
  )
}

function ActionMenu({ item, onReply, onDetails, own, mayWrite }: ActionProps) {
  return (
    <Menu
      label={t('parts.action.more')}
      button={<IconButton icon="more" size={16} label={t('parts.action.more')} />}
    >
      {mayWrite && (
        <MenuItem
          icon="reply"
          label={t('inbox.message.reply')}
          onAction={() => {
            onReply(item.id)
          }}
        />
      )}
      <MoreItems {...{ item, onDetails, mayWrite }} />
      {mayWrite && (
        <MenuSection title={t('inbox.message.react')}>
          {EMOJIS.map((emoji) => (
            <MenuItem
              key={emoji}
              label={emoji}
              detail={emoji === own ? '✓' : ''}
              onAction={() => {
                react(item, emoji === own ? '' : emoji)
              }}
            />
          ))}
        </MenuSection>
      )}
    </Menu>
  )
}

/** What is done less often: copy, see what happened, take back what still waits. */
function MoreItems({ item, onDetails, mayWrite }: Omit<ActionProps, 'onReply' | 'own'>) {
  const words = wordsOf(item)
  return (
    <>
      {words !== null && (
        <MenuItem
          icon="copy"
          label={t('inbox.message.copy')}
          onAction={() => {
            copyText(words)
          }}
        />
      )}
      <MenuItem icon="clock" label={t('inbox.message.details')} onAction={onDetails} />
      {mayWrite && item.status === 'pending' && (
        <MenuItem
          icon="close"
          label={t('inbox.message.cancel')}
          onAction={() => {
            call('POST /api/messages/{id}/cancel', { params: { id: item.id } }).catch(report)
          }}
        />
      )}
    </>
  )
}

interface ActionProps extends Props {
  onDetails: () => void
  /** The user's own reaction. */
  own: string | null
  mayWrite: boolean
}

function Buttons({ item, onReply, onDetails, own, mayWrite }: ActionProps) {
  return (
    <>
      {mayWrite && (
        <>
          <IconButton
            icon="reply"
            size={16}
            label={t('inbox.message.reply')}
            onPress={() => {
              onReply(item.id)
            }}
          />
          <Popover
            label={t('inbox.message.react')}
            placement="top"
            button={<IconButton icon="reaction" size={16} label={t('inbox.message.react')} />}
          >
            {(close) => (
              <div className="emojis">
                {EMOJIS.map((emoji) => (
                  <PlainButton
                    key={emoji}
                    className="emoji"
                    aria-pressed={emoji === own}
                    onPress={() => {
                      react(item, emoji === own ? '' : emoji)
                      close()
                    }}
                  >
                    {emoji}
                  </PlainButton>
                ))}
              </div>
            )}
          </Popover>
        </>
      )}
      <Menu
        label={t('parts.action.more')}
        button={<IconButton icon="more" size={16} label={t('parts.action.more')} />}
      >
        <MoreItems {...{ item, onDetails, mayWrite }} />
      </Menu>
    </>
  )
}
