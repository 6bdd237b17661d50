import type { Item } from '../../../api/shapes'
import { RichText } from '../../../parts/rich-text'
import { formatClock } from '../../../texts/format'
import { t } from '../../../texts/texts'
import { Card, ContactsContent, LocationContent, OrderContent } from './cards'
import { InteractiveContent } from './interactive'
import { FileContent, Playable } from './media'

/** A message of a type. */
export type Of<T extends Item['type']> = Extract<Item, { type: T }>

/** The content of a message, by its type. */
export function Content({ item }: { item: Item }) {
  switch (item.type) {
    case 'text':
      return <RichText text={item.content.text ?? item.preview} />
    case 'image':
    case 'video':
    case 'audio':
    case 'document':
    case 'sticker':
      return <FileContent item={item} />
    case 'location':
      return <LocationContent item={item} />
    case 'contacts':
      return <ContactsContent item={item} />
    case 'interactive':
      return <InteractiveContent content={item.content} preview={item.preview} />
    case 'template':
      return <TemplateContent item={item} />
    case 'order':
      return <OrderContent item={item} />
    case 'call':
      return <CallContent item={item} />
    default:
      return <Card icon="question" title={t('inbox.type.unsupported')} hint={item.preview} />
  }
}

function TemplateContent({ item: { content, preview } }: { item: Of<'template'> }) {
  const { header, body, footer, buttons } = content
  return (
    <>
      {typeof header === 'string' && <b dir="auto">{header}</b>}
      <RichText text={body ?? preview} />
      {footer !== null && (
        <p className="muted small" dir="auto">
          {footer}
        </p>
      )}
      {buttons.map((button, index) => (
        <p key={index} className="message-button">
          {typeof button['text'] === 'string' ? button['text'] : ''}
        </p>
      ))}
      <p className="muted small">{t('inbox.type.template', { name: content.name })}</p>
    </>
  )
}

function CallContent({ item }: { item: Of<'call'> }) {
  const { state, duration_seconds: seconds, recording_media_id: recording } = item.content
  return (
    <>
      <Card
        icon="phone"
        title={t(`inbox.call.${state}`)}
        hint={seconds === null ? '' : formatClock(seconds * 1_000)}
      />
      {recording !== null && (
        <Playable
          type="audio"
          media={{
            id: recording,
            duration_ms: seconds === null ? null : seconds * 1_000,
            width: null,
            height: null,
          }}
        />
      )}
    </>
  )
}
