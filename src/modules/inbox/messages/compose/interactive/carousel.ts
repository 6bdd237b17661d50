import type { MediaCard, OutgoingContent } from '../../../../../platform/send/content'
import type { Report } from '../../../../../lib/input-problems'
import type { MediaRow } from '../../../../channel/media/view'
import { readSource, type FileInput } from '../media'
import type { InteractiveInput } from './model'

const PATH = 'body.interactive.cards'

/** Reads the files of the cards of a carousel. The platform wants files of one type. */
export function readCardFiles(
  report: Report,
  cards: NonNullable<InteractiveInput['cards']>,
): (FileInput | null)[] {
  const type = cards[0]?.header.type ?? 'image'
  return cards.map(({ header }, index) => {
    const path = `${PATH}.${index}.header`
    if (header.type !== type) report(`${path}.type`, 'must be that of the first card')
    return readSource(report, path, type, header)
  })
}

const cardsOf = (message: OutgoingContent): MediaCard[] =>
  message.type === 'interactive' && message.content.kind === 'media_carousel'
    ? message.content.cards
    : []

/** Returns the media IDs of the cards of a message; empty for other messages. */
export const cardMediaOf = (message: OutgoingContent): string[] =>
  cardsOf(message).flatMap(({ header }) => header.media_id ?? [])

/** Returns the files of the cards of a stored message as request input. */
export const storedCardFiles = (message: OutgoingContent): FileInput[] =>
  cardsOf(message).map(({ header }, index) => ({
    kind: header.type,
    mediaId: header.media_id,
    url: null,
    staged: null,
    filename: undefined,
    path: `${PATH}.${index}.header.media_id`,
  }))

/** Completes the cards of a message with their stored files. */
export function withCardFiles(
  message: OutgoingContent,
  files: readonly (MediaRow | null)[],
): OutgoingContent {
  if (message.type !== 'interactive' || message.content.kind !== 'media_carousel') return message
  const cards = message.content.cards.map((card, index) => {
    const file = files[index]
    return file
      ? { ...card, header: { ...card.header, media_id: file.id, filename: file.filename } }
      : card
  })
  return { ...message, content: { ...message.content, cards } }
}
