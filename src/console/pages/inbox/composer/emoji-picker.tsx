import { IconButton, PlainButton } from '../../../parts/button'
import { Popover } from '../../../parts/popover'
import { t } from '../../../texts/texts'
import { EMOJIS } from './emojis'

/** Inserts an emoji. */
export function EmojiPicker({ onPick }: { onPick: (emoji: string) => void }) {
  return (
    <Popover
      label={t('inbox.composer.emoji')}
      placement="top start"
      button={<IconButton icon="emoji" label={t('inbox.composer.emoji')} />}
    >
      {(close) => (
        <div className="emojis many">
          {EMOJIS.map(([emoji]) => (
            <PlainButton
              key={emoji}
              className="emoji"
              onPress={() => {
                close()
                onPick(emoji)
              }}
            >
              {emoji}
            </PlainButton>
          ))}
        </div>
      )}
    </Popover>
  )
}
