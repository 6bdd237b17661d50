import { BOM, csvLine } from '../../../../lib/csv'
import { isoTime } from '../../../../lib/clock'
import { csvText } from '../cells'
import { MESSAGE_COLUMNS, type Column } from '../columns'
import type { ExportedMessage } from '../messages'
import type { About } from './about'
import type { Entry, NoteRow } from './entries'

/** Format name and version of the JSON file. */
const FORMAT = 'switchboard.transcript/1'

/** Message columns that also apply to notes. */
const OF_NOTES: Record<string, (note: NoteRow) => unknown> = {
  id: ({ id }) => id,
  timestamp: ({ createdAtMs }) => isoTime(createdAtMs),
  contact_id: ({ contactId }) => contactId,
  type: () => 'note',
  text: ({ content }) => content,
  sent_by: ({ createdByName }) => createdByName,
}

/** The default message columns, plus platform IDs and reactions. */
const ALSO = new Set([
  'wa_message_id',
  'mime_type',
  'reactions',
  'edited_at',
  'revoked_at',
  'template_name',
])
const COLUMNS = MESSAGE_COLUMNS.filter(({ key, isUsual }) => isUsual || ALSO.has(key))

const cellOf = ({ key, type, cell }: Column<ExportedMessage>, entry: Entry): string =>
  csvText(type, 'exported' in entry ? cell(entry.exported) : OF_NOTES[key]?.(entry.note))

/** Yields a transcript as lines of CSV. A note has the type `note`. */
export function* csvPieces(_about: About, pages: Generator<Entry[]>): Generator<string> {
  yield BOM + csvLine(COLUMNS.map(({ key }) => key))
  for (const entries of pages)
    yield entries.map((entry) => csvLine(COLUMNS.map((column) => cellOf(column, entry)))).join('')
}

/** Yields a transcript as one JSON document. */
export function* jsonPieces(about: About, pages: Generator<Entry[]>): Generator<string> {
  const { conversation, organizationName, timezone, account, from, to, madeAt, madeBy } = about
  const head = {
    format: FORMAT,
    organization_name: organizationName,
    timezone,
    made_at: madeAt,
    made_by: madeBy,
    from,
    to,
    account,
    conversation,
  }
  yield `${JSON.stringify(head).slice(0, -1)},"entries":[`
  let separator = '\n'
  for (const entries of pages) {
    yield separator + entries.map((entry) => JSON.stringify(jsonOf(entry))).join(',\n')
    separator = ',\n'
  }
  yield '\n]}\n'
}

function jsonOf(entry: Entry): object {
  if ('note' in entry) {
    const { id, contactId, content, createdBy, createdByName, createdAtMs, updatedAtMs } =
      entry.note
    const times = { created_at: isoTime(createdAtMs), updated_at: isoTime(updatedAtMs) }
    return {
      entry: 'note',
      id,
      contact_id: contactId,
      content,
      created_by: createdBy,
      created_by_name: createdByName,
      ...times,
    }
  }
  const { message, mediaUrl, cost } = entry.exported
  const media = message.media && { ...message.media, url: mediaUrl }
  return {
    entry: 'message',
    ...message,
    media,
    cost: cost?.amount ?? null,
    currency: cost?.currency ?? null,
  }
}
