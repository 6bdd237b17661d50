import type { MediaCard, OutgoingContent } from '../../../../../platform/send/content'
import {
  boundedList,
  httpUrl,
  optionalText,
  requiredText,
  type Report,
} from '../../../../../lib/input-problems'
import type { MediaRow } from '../../../../channel/media/view'
import { LIMITS, MAX_COUNTS, MIN_CARDS } from '../rules'
import { readSource, type FileInput } from '../media'
import type { InteractiveInput } from './model'
import { INTERACTIVE_PATH } from './sections'

const PATH = `${INTERACTIVE_PATH}.cards`

/** Reads the cards of a carousel with their files. The platform wants files of one type. */
export function readMediaCards(
  report: Report,
  input: InteractiveInput['cards'],
): { cards: MediaCard[]; files: (FileInput | null)[] } {
  const list = boundedList(report, PATH, input, [MIN_CARDS, MAX_COUNTS.carouselCards])
  const type = list[0]?.header.type === 'video' ? 'video' : 'image'
  const files = list.map(({ header }, index) => {
    const at = `${PATH}.${index}.header`
    if (header.type !== type)
      report(
        `${at}.type`,
        index === 0 ? 'must be image or video' : 'must be that of the first card',
      )
    return readSource(report, at, type, header)
  })
  const cards = list.map((card, index) => ({
    header: { type, media_id: files[index]?.mediaId ?? null, filename: null } as const,
    body: optionalText(report, `${PATH}.${index}.body`, card.body, LIMITS.cardBody),
    button_text: requiredText(
      report,
      `${PATH}.${index}.button_text`,
      card.button_text,
      LIMITS.buttonText,
    ),
    url: httpUrl(report, `${PATH}.${index}.url`, card.url, LIMITS.url),
  }))
  return { cards, files }
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
