import { anyScope, hasIdIn, inOrganization, type Ctx } from '../../../../../infra/ctx'
import { compiled } from '../../../../../infra/db/compiled'
import { listOf, objectOf, textOf, wordOf } from '../../../../../platform/lenient-json'
import { messages } from '../../../../inbox/messages/table'
import { FILE_TYPES, type Turn } from '../model'

/** Maximum length of the joined texts of a turn. */
const MAX_TEXT = 16_384

/** A message as a turn is made of it. */
export interface TurnMessage {
  id: string
  type: string
  content: Record<string, unknown>
  mediaId: string | null
  timestampMs: number
}

const byIds = compiled((orm) =>
  orm
    .select({
      id: messages.id,
      type: messages.type,
      content: messages.content,
      mediaId: messages.mediaId,
      timestampMs: messages.timestampMs,
      revokedAtMs: messages.revokedAtMs,
    })
    .from(messages)
    .where(inOrganization(anyScope, messages, hasIdIn(messages.id)))
    .prepare(),
)

/** Returns messages by their IDs, oldest first, without those that were deleted. */
export const messagesOfTurn = ({ db, organizationId }: Ctx, ids: string[]): TurnMessage[] =>
  byIds(db)
    .all({ organizationId, ids: JSON.stringify(ids) })
    .filter(({ revokedAtMs }) => revokedAtMs === null)
    .toSorted((a, b) => a.timestampMs - b.timestampMs || (a.id < b.id ? -1 : 1))
    .map((row) => ({ ...row, content: JSON.parse(row.content) as Record<string, unknown> }))

const FILES: ReadonlySet<string> = new Set(FILE_TYPES)

/** Returns messages as one turn. */
export function turnOf(rows: TurnMessage[], isConsentWord: boolean): Turn {
  const turn: Turn = {
    messageIds: rows.map(({ id }) => id),
    text: null,
    written: [],
    tap: null,
    form: null,
    media: null,
    location: null,
    contacts: null,
    order: null,
    atMs: Math.max(0, ...rows.map(({ timestampMs }) => timestampMs)),
    isConsentWord,
  }
  const texts = rows.flatMap((row) => readInto(turn, row) ?? [])
  if (texts.length > 0) turn.text = texts.join('\n').slice(0, MAX_TEXT).toWellFormed()
  return turn
}

/** Adds a message to a turn. Returns its text, or `null`. */
function readInto(turn: Turn, message: TurnMessage): string | null {
  if (message.type === 'interactive') return readInteractive(turn, message.content)
  const text = readWritten(turn, message)
  if (text !== null) turn.written.push(text)
  return text
}

function readWritten(turn: Turn, { type, content, mediaId }: TurnMessage): string | null {
  if (type === 'text') return filled(content['text'])
  if (FILES.has(type)) {
    turn.media = { type, mediaId, filename: filled(content['filename']) }
    return filled(content['caption'])
  }
  if (type === 'location') turn.location = content
  if (type === 'contacts') turn.contacts = listOf(content['contacts'])
  if (type !== 'order') return null
  turn.order = content
  return filled(content['text'])
}

function readInteractive(turn: Turn, content: Record<string, unknown>): string | null {
  const title = filled(content['title'])
  switch (content['kind']) {
    case 'button_reply':
    case 'list_reply':
      turn.tap = { id: wordOf(content['id']) ?? '', title: title ?? '' }
      return title
    case 'template_button':
      turn.tap = { id: wordOf(content['payload']) ?? '', title: title ?? '' }
      return title
    case 'flow_reply':
      turn.form = { flowId: wordOf(content['flow_id']), data: { ...objectOf(content['data']) } }
      return null
    default:
      return null
  }
}

const filled = (value: unknown): string | null => {
  const text = textOf(value)
  return text === null || text.trim() === '' ? null : text
}
