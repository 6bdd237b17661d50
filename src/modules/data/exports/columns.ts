import type { SQLiteColumn } from 'drizzle-orm/sqlite-core'

import { isoTimeOrNull } from '../../../lib/clock'
import type { Ctx } from '../../../infra/ctx'
import type { ReadCtx } from '../../../infra/read/read-ctx'
import { columnsOf as declaredColumnsOf } from '../../../infra/db/define-table'
import { listOf, numberOf, objectOf, wordOf } from '../../../platform/lenient-json'
import { plainTextOf } from '../../../platform/plain-text'
import { definitionsOf } from '../../inbox/contacts/attributes/service'
import { fieldName, labelOf } from '../../inbox/contacts/field-names'
import type { ContactView } from '../../inbox/contacts/model'
import { contacts } from '../../inbox/contacts/table'
import { maskedName, type ContactRow } from '../../inbox/contacts/view'
import type { MessageView } from '../../inbox/messages/model'
import type { TagView } from '../../inbox/tags/model'
import type { ExportedMessage } from './messages'
import type { ExportConfig, ExportTable } from './model'

/** A cell as written to JSON lines. CSV files convert it to text. */
export type Cell = unknown

/** A column of a file: its name and its values. */
export interface Column<T> {
  key: string
  label: string
  type: 'text' | 'phone' | 'number' | 'boolean' | 'time' | 'list' | 'json'
  /** Whether the file includes it by default. */
  isUsual: boolean
  cell: (row: T) => Cell
}

const column = <T>(
  key: string,
  type: Column<T>['type'],
  cell: (row: T) => Cell,
  isUsual = true,
): Column<T> => ({
  key,
  label: labelOf(key),
  type,
  isUsual,
  cell,
})

/** A contact as the API shows it, and its row. */
export interface ExportedContact {
  view: ContactView
  row: ContactRow
  isMasked: boolean
}

/** Returns a value that the API does not show. */
function storedValue(column: SQLiteColumn, value: unknown, isMasked: boolean): Cell {
  if (column.name.endsWith('_ms')) return isoTimeOrNull(typeof value === 'number' ? value : null)
  return isMasked && typeof value === 'string' ? maskedName(value) : value
}

const PHONES = new Set(['phone_number', 'wa_id'])
const TYPES: Record<string, Column<never>['type']> = { metadata: 'json' }

const typeOf = (key: string, column: SQLiteColumn): Column<never>['type'] => {
  if (PHONES.has(key)) return 'phone'
  if (column.name.endsWith('_ms')) return 'time'
  return TYPES[key] ?? (column.dataType === 'number' ? 'number' : 'text')
}

/** The columns of the table that say so: as the API shows them, or as they are stored. */
const STORED = declaredColumnsOf(contacts).flatMap(
  ({ key, column, use: { exported } }): Column<ExportedContact>[] => {
    if (exported === undefined) return []
    const field = fieldName(key)
    return [
      {
        ...{ key: field, label: labelOf(field), type: typeOf(field, column) },
        isUsual: exported === 'usual',
        cell: ({ view, row, isMasked }) =>
          field in view
            ? view[field as keyof ContactView]
            : storedValue(column, row[key], isMasked),
      },
    ]
  },
)

/** What the API makes of other columns and tables, by the column that it stands behind. */
const MADE: Record<string, Column<ExportedContact>> = {
  profile_name: column('display_name', 'text', ({ view }) => view.display_name, false),
  language: column('tags', 'list', ({ view }) => view.tags.map(({ name }) => name)),
  marketing_consent: column('blocked', 'boolean', ({ view }) => view.blocked),
  assigned_to: column('assigned_user', 'text', ({ view }) => view.assigned_user?.full_name ?? null),
}

const CONTACTS = STORED.flatMap((stored) => [stored, MADE[stored.key] ?? []].flat())

export const TAG_COLUMNS: Column<TagView>[] = [
  column('id', 'text', ({ id }) => id),
  column('name', 'text', ({ name }) => name),
  column('color', 'text', ({ color }) => color),
  column('contact_count', 'number', (tag) => tag.contact_count),
  column('created_at', 'time', (tag) => tag.created_at),
  column('updated_at', 'time', (tag) => tag.updated_at, false),
]

/** Returns the full text of a message, or its preview if it has none. */
export const wordsOf = ({ type, content, preview }: MessageView): string =>
  plainTextOf(type, content) || preview

/** Returns the subtype of a message, such as the kind of reply, request or unsupported content. */
const kindOf = ({ content }: MessageView): string | null =>
  wordOf(content['kind']) ??
  wordOf(content['event']) ??
  wordOf(content['platform_type']) ??
  (content['voice'] === true ? 'voice' : null)

/** Returns the location of a message, including the location header of a template. */
const locationOf = ({
  type,
  content,
}: MessageView): { latitude: number | null; longitude: number | null } => {
  const { latitude, longitude } = type === 'location' ? content : objectOf(content['header'])
  return { latitude: numberOf(latitude), longitude: numberOf(longitude) }
}

/** Returns the ID of the button or row that the customer chose. */
const chosenIn = ({ direction, content }: MessageView): string | null =>
  direction === 'incoming' ? (wordOf(content['id']) ?? wordOf(content['payload'])) : null

/**
 * Returns why a message failed, or the errors the platform reported for it; `null` without errors.
 */
export function errorOf({ error, content }: MessageView): string | null {
  if (error !== null) return error.message
  const reported = listOf(content['errors'])
    .map(objectOf)
    .map(({ details, message, title }) => wordOf(details) ?? wordOf(message) ?? wordOf(title))
  return reported.filter((words) => words !== null).join('; ') || null
}

export const MESSAGE_COLUMNS: Column<ExportedMessage>[] = [
  column('id', 'text', ({ message }) => message.id),
  column('timestamp', 'time', ({ message }) => message.timestamp),
  column('contact_id', 'text', ({ message }) => message.contact_id),
  column('contact_name', 'text', ({ contact }) => contact.name),
  column('phone_number', 'phone', ({ contact }) => contact.phone),
  column('direction', 'text', ({ message }) => message.direction),
  column('type', 'text', ({ message }) => message.type),
  column('kind', 'text', ({ message }) => kindOf(message)),
  column('text', 'text', ({ message }) => wordsOf(message)),
  column('latitude', 'number', ({ message }) => locationOf(message).latitude),
  column('longitude', 'number', ({ message }) => locationOf(message).longitude),
  column('content', 'json', ({ message }) => message.content, false),
  column('reply_to_id', 'text', ({ message }) => message.reply_to?.id ?? null),
  column('reply_to_wa_message_id', 'text', ({ message }) =>
    wordOf(message.context?.['wa_message_id']),
  ),
  column('reply_id', 'text', ({ message }) => chosenIn(message)),
  column('media_id', 'text', ({ message }) => message.media?.id ?? null, false),
  column('media_url', 'text', ({ mediaUrl }) => mediaUrl),
  column('mime_type', 'text', ({ message }) => message.media?.mime_type ?? null, false),
  column('filename', 'text', ({ message }) => message.media?.filename ?? null),
  column('status', 'text', ({ message }) => message.status),
  column('sent_at', 'time', ({ message }) => message.sent_at),
  column('delivered_at', 'time', ({ message }) => message.delivered_at),
  column('read_at', 'time', ({ message }) => message.read_at),
  column('played_at', 'time', ({ message }) => message.played_at),
  column('failed_at', 'time', ({ message }) => message.failed_at),
  column('error', 'text', ({ message }) => errorOf(message)),
  column('pricing_category', 'text', ({ message }) => message.pricing?.category ?? null),
  column('pricing_type', 'text', ({ message }) => message.pricing?.type ?? null),
  column('billable', 'boolean', ({ message }) => message.pricing?.billable ?? null),
  column('cost', 'text', ({ cost }) => cost?.amount ?? null),
  column('currency', 'text', ({ cost }) => cost?.currency ?? null),
  column('source', 'text', ({ message }) => message.source),
  column('sent_by', 'text', ({ message }) => message.sent_by?.name ?? null),
  column('account_id', 'text', ({ message }) => message.account_id),
  column('conversation_id', 'text', ({ message }) => message.conversation_id, false),
  column('wa_message_id', 'text', ({ message }) => message.wa_message_id, false),
  column('client_ref', 'text', ({ message }) => message.client_ref, false),
  column('campaign_id', 'text', ({ message }) => message.campaign_id, false),
  column('template_name', 'text', ({ message }) => message.template_name, false),
  column('ai_generated', 'boolean', ({ message }) => message.ai_generated),
  column('ai_model', 'text', ({ message }) => message.ai_model, false),
  column(
    'reactions',
    'list',
    ({ message }) => message.reactions.map(({ emoji, by }) => `${emoji} ${by}`),
    false,
  ),
  column('received_at', 'time', ({ message }) => message.received_at, false),
  column('edited_at', 'time', ({ message }) => message.edited_at, false),
  column('revoked_at', 'time', ({ message }) => message.revoked_at, false),
]

/** Returns the columns of contacts, including the organization's custom fields. */
export function contactColumns(
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
): Column<ExportedContact>[] {
  const own = [...definitionsOf(ctx).values()].map(
    ({ key, label, type }): Column<ExportedContact> => ({
      key: `attributes.${key}`,
      label,
      type: type === 'number' || type === 'boolean' ? type : 'text',
      isUsual: true,
      cell: ({ view }) => view.attributes[key] ?? null,
    }),
  )
  return [...CONTACTS, ...own]
}

/** Returns the columns a file of this table can have. */
export const columnsOf = (
  ctx: Pick<ReadCtx, 'db' | 'organizationId'>,
  table: ExportTable,
): Pick<Column<never>, 'key' | 'label' | 'type' | 'isUsual'>[] =>
  table === 'contacts' ? contactColumns(ctx) : table === 'tags' ? TAG_COLUMNS : MESSAGE_COLUMNS

/** Returns the export configuration of a table. */
export const exportConfig = (ctx: Ctx, table: ExportTable): ExportConfig => ({
  columns: columnsOf(ctx, table).map(({ key, label, type, isUsual }) => ({
    key,
    label,
    required: isUsual,
    type,
    aliases: [],
  })),
  max_rows: null,
  max_bytes: null,
})
