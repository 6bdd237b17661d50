import type { MessageView } from '../../../inbox/messages/model'
import { errorOf, wordsOf } from '../columns'
import type { ExportedMessage } from '../messages'
import type { About } from './about'
import type { Entry, NoteRow } from './entries'
import { STYLE } from './style'

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text for HTML and removes control characters. */
const escaped = (text: string): string =>
  text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex -- these are the characters that are meant
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F]/g, '')
    .replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign)

/** Formats days and times in the organization's time zone. */
class Calendar {
  private readonly days: Intl.DateTimeFormat
  private readonly times: Intl.DateTimeFormat

  constructor(timeZone: string) {
    this.days = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'full' })
    this.times = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
  }

  day(atMs: number): string {
    return this.days.format(atMs)
  }

  time(atMs: number): string {
    return this.times.format(atMs)
  }

  /** Formats a time, with its day if it differs from the entry's day. */
  beside(atMs: number, besideMs: number): string {
    return this.day(atMs) === this.day(besideMs)
      ? this.time(atMs)
      : `${this.day(atMs)}, ${this.time(atMs)}`
  }
}

/** Yields a transcript as a self-contained page for screen and print. */
export function* htmlPieces(about: About, pages: Generator<Entry[]>): Generator<string> {
  const calendar = new Calendar(about.timezone)
  const counts = { messages: 0, notes: 0 }
  let day = ''
  yield headOf(about, calendar)
  for (const entries of pages) {
    let piece = ''
    for (const entry of entries) {
      const today = calendar.day(entry.atMs)
      if (today !== day) piece += `<h2>${escaped(today)}</h2>\n`
      day = today
      counts['note' in entry ? 'notes' : 'messages'] += 1
      piece +=
        'note' in entry
          ? articleOfNote(entry.note, calendar)
          : articleOf(entry.exported, about, calendar)
    }
    yield piece
  }
  const totals = [
    countOf(counts.messages, 'message'),
    ...(counts.notes > 0 ? [countOf(counts.notes, 'note')] : []),
  ]
  yield `<footer>${totals.join(', ')}. End of the transcript.</footer>\n</main>\n</body>\n</html>\n`
}

const countOf = (count: number, thing: string): string =>
  `${count.toLocaleString('en-US')} ${thing}${count === 1 ? '' : 's'}`

function headOf(
  { conversation, account, organizationName, timezone, ...about }: About,
  calendar: Calendar,
): string {
  const madeMs = Date.parse(about.madeAt)
  const name = conversation.contact.display_name ?? 'Unnamed contact'
  const facts: [string, string | null][] = [
    ['Contact', conversation.contact.phone_number],
    [
      'Number',
      [account.name, account.phone_number]
        .filter((part) => part !== null && part !== '')
        .join(' · '),
    ],
    [
      'Period',
      about.from === null && about.to === null
        ? 'The whole conversation'
        : `${about.from ?? 'beginning'} to ${about.to ?? 'now'}`,
    ],
    ['Time zone', timezone],
    [
      'Created',
      `${calendar.day(madeMs)}, ${calendar.time(madeMs)}${about.madeBy === null ? '' : ` by ${about.madeBy}`}`,
    ],
  ]
  const rows = facts.flatMap(([term, value]) =>
    value === null || value === '' ? [] : [`<dt>${term}</dt><dd>${escaped(value)}</dd>`],
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escaped(`Conversation with ${name}`)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<header>
<p>${escaped(organizationName)} · Conversation</p>
<h1 dir="auto">${escaped(name)}</h1>
<dl>${rows.join('')}</dl>
</header>
`
}

const SENDERS: Record<string, string> = {
  api: 'API',
  chatbot: 'Chatbot',
  campaign: 'Campaign',
  phone_app: 'Phone app',
  platform_agent: "Platform's agent",
  other_app: 'Other app',
  system: 'System',
}

/** Labels of message types whose text does not name them. */
const KINDS: Record<string, string> = {
  image: 'Photo',
  video: 'Video',
  audio: 'Audio',
  document: 'Document',
  sticker: 'Sticker',
  location: 'Location',
  contacts: 'Contact card',
  template: 'Template',
  order: 'Order',
  unsupported: 'Unsupported',
}

const part = (tag: string, name: string, text: string): string =>
  `<${tag} class="${name}" dir="auto">${escaped(text)}</${tag}>`

function articleOf(exported: ExportedMessage, about: About, calendar: Calendar): string {
  const { message } = exported
  const isOurs = message.direction === 'outgoing'
  const side = message.type === 'system' ? 'system' : isOurs ? 'out' : 'in'
  const sender = isOurs
    ? (message.sent_by?.name ?? SENDERS[message.source] ?? about.organizationName)
    : exported.contact.name
  const kind = KINDS[message.type]
  const words = wordsOf(message)
  const error = errorOf(message)
  const parts = [
    side === 'system' || sender === null ? '' : part('p', 'who', sender),
    message.reply_to === null
      ? ''
      : `<blockquote dir="auto">${escaped(message.reply_to.preview)}</blockquote>`,
    kind === undefined
      ? ''
      : part('p', 'kind', message.content['voice'] === true ? 'Voice message' : kind),
    message.revoked_at !== null
      ? part('p', 'kind', 'Deleted by the sender')
      : words === kind
        ? ''
        : part('p', 'text', words),
    placeOf(message),
    fileOf(exported),
    message.reactions.length === 0
      ? ''
      : part('p', 'reactions', message.reactions.map(({ emoji }) => emoji).join(' ')),
    error === null ? '' : part('p', 'error', error),
    `<p class="meta">${escaped(metaOf(exported, calendar))}</p>`,
  ]
  return `<article class="${side}">${parts.join('')}</article>\n`
}

function placeOf({ type, content }: MessageView): string {
  const { latitude, longitude } = content as { latitude?: number | null; longitude?: number | null }
  return type === 'location' && typeof latitude === 'number' && typeof longitude === 'number'
    ? part('p', 'place', `${latitude}, ${longitude}`)
    : ''
}

function fileOf({ message: { media }, mediaUrl }: ExportedMessage): string {
  if (media === null) return ''
  const name = media.filename ?? (media.mime_type === null ? 'File' : `File (${media.mime_type})`)
  if (mediaUrl === null) return part('p', 'file', `${name} (${media.state})`)
  return `<p class="file"><a href="${escaped(mediaUrl)}" target="_blank" rel="noopener">${escaped(name)}</a></p>`
}

const STATES: Record<MessageView['status'], string> = {
  pending: 'Waiting',
  sent: 'Sent',
  delivered: 'Delivered',
  read: 'Read',
  failed: 'Failed',
  unknown: 'Outcome unknown',
}

/** Returns the sending time, status and cost of a message, and whether AI wrote it. */
function metaOf({ message, cost }: ExportedMessage, calendar: Calendar): string {
  const atMs = Date.parse(message.timestamp)
  const state = message.direction === 'outgoing' ? STATES[message.status] : undefined
  const stateAt =
    { read: message.read_at, delivered: message.delivered_at, failed: message.failed_at }[
      message.status
    ] ?? null
  return [
    calendar.time(atMs),
    state === undefined
      ? ''
      : stateAt === null
        ? state
        : `${state} ${calendar.beside(Date.parse(stateAt), atMs)}`,
    message.edited_at === null ? '' : 'Edited',
    message.ai_generated ? 'Written by AI' : '',
    cost === null || message.pricing?.billable !== true ? '' : `${cost.currency} ${cost.amount}`,
  ]
    .filter((word) => word !== '')
    .join(' · ')
}

const articleOfNote = (
  { content, createdByName, createdAtMs }: NoteRow,
  calendar: Calendar,
): string =>
  `<article class="note">${part('p', 'who', `Note${createdByName === null ? '' : ` by ${createdByName}`}`)}${part('p', 'text', content)}<p class="meta">${calendar.time(createdAtMs)}</p></article>\n`
