import { IconButton } from '../../parts/button'
import type { IconName } from '../../parts/icons'
import { Menu, MenuItem } from '../../parts/menu'
import { t } from '../../texts/texts'
import type { Message } from './use-test'

/** What a customer can send besides words: an example of each kind that a step can wait for. */
const THINGS = [
  ['location', 'location', { location: { latitude: 52.52, longitude: 13.405, name: 'Berlin' } }],
  ['image', 'image', { media: { type: 'image' } }],
  ['document', 'file', { media: { type: 'document', filename: 'document.pdf' } }],
  ['video', 'video', { media: { type: 'video' } }],
  ['audio', 'microphone', { media: { type: 'audio' } }],
  ['sticker', 'emoji', { media: { type: 'sticker' } }],
  ['contact', 'contact', { contacts: [{ name: { formatted_name: 'Ana' }, phones: [] }] }],
  ['order', 'cart', { order: { catalog_id: '1', items: [] } }],
] as const satisfies readonly (readonly [string, IconName, Message])[]

/** A menu of things that a customer can send in a test, such as a place or a photo. */
export const TestThings = ({ onSend }: { onSend: (message: Message, text: string) => void }) => (
  <Menu
    label={t('flow.test.things')}
    placement="top start"
    button={<IconButton icon="attach" label={t('flow.test.things')} />}
  >
    {THINGS.map(([kind, icon, message]) => (
      <MenuItem
        key={kind}
        icon={icon}
        label={t(`flow.test.thing.${kind}`)}
        onAction={() => {
          onSend(message, t(`flow.test.thing.${kind}`))
        }}
      />
    ))}
  </Menu>
)
