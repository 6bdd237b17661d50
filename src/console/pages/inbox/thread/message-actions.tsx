import { call } from '../../../api/client'
import type { Item } from '../../../api/shapes'
import { useCan, useMe } from '../../../live/me'
import { useIsNarrow } from '../../../parts/narrow'
import { IconButton, PlainButton } from '../../../parts/button'
import { Menu, MenuItem, MenuSection } from '../../../parts/menu'
import { Popover } from '../../../parts/popover'
import { notify, report } from '../../../parts/toast'
import { t } from '../../../texts/texts'

interface Props {
  item: Item
  onReply: (messageId: string) => void
}

const EMOJIS = ['👍', '❤️', '😂', '😮', '😢', '🙏']

/** Reacts with an emoji; an empty one removes the reaction. */
function react({ id, contact_id }: Item, emoji: string): void {
  call('POST /api/contacts/{id}/messages/{message_id}/reaction', {
    params: { id: contact_id, message_id: id },
    body: { emoji },
  }).catch(report)
}

function copy(words: string): void {
  navigator.clipboard
    .writeText(words)
    .then(() => {
      notify(t('parts.action.copied'))
    })
    .catch(report)
}

const wordsOf = ({ content }: Item): string | null =>
  'text' in content && typeof content.text === 'string' ? content.text : null

/** What can be done with a message: buttons beside it, on phones one menu. */
export function MessageActions({ item, onReply }: Props) {
  const mayWrite = useCan('messages:create')
  const me = useMe()
  const isNarrow = useIsNarrow()
  const own = item.reactions.find(({ user_id }) => user_id === me.id)?.emoji ?? null
  if (item.type === 'call' || (!mayWrite && wordsOf(item) === null)) return null
  return (
    <div className="bubble-actions">
      {isNarrow ? (
        <ActionMenu {...{ item, onReply, own, mayWrite }} />
      ) : (
        <Buttons {...{ item, onReply, own, mayWrite }} />
      )}
    </div>
  )
}

function ActionMenu({ item, onReply, own, mayWrite }: ActionProps) {
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
      <CopyItem item={item} />
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

function CopyItem({ item }: Pick<Props, 'item'>) {
  const words = wordsOf(item)
  return words === null ? null : (
    <MenuItem
      icon="copy"
      label={t('inbox.message.copy')}
      onAction={() => {
        copy(words)
      }}
    />
  )
}

interface ActionProps extends Props {
  /** The user's own reaction. */
  own: string | null
  mayWrite: boolean
}

function Buttons({ item, onReply, own, mayWrite }: ActionProps) {
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
      {wordsOf(item) !== null && (
        <Menu
          label={t('parts.action.more')}
          button={<IconButton icon="more" size={16} label={t('parts.action.more')} />}
        >
          <CopyItem item={item} />
        </Menu>
      )}
    </>
  )
}
