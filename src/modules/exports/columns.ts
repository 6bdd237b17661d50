import type { Ctx } from '../../infra/ctx'
import { listOf, numberOf, objectOf, wordOf } from '../../platform/lenient-json'
import { plainTextOf } from '../../platform/plain-text'
import { definitionsOf } from '../contacts/attributes/service'
import type { ContactView } from '../contacts/model'
import type { MessageView } from '../messages/model'
import type { TagView } from '../tags/model'
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

const labelOf = (key: string): string =>
  `${key.charAt(0).toUpperCase()}${key.slice(1).replaceAll('_', ' ')}`

const CONTACTS: Column<ContactView>[] = [
  column('id', 'text', ({ id }) => id),
  column('phone_number', 'phone', (contact) => contact.phone_number),
  column('user_id', 'text', (contact) => contact.user_id),
  column('name', 'text', ({ name }) => name),
  column('profile_name', 'text', (contact) => contact.profile_name),
  column('display_name', 'text', (contact) => contact.display_name, false),
  column('username', 'text', ({ username }) => username, false),
  column('wa_id', 'phone', (contact) => contact.wa_id, false),
  column('parent_user_id', 'text', (contact) => contact.parent_user_id, false),
  column('country', 'text', ({ country }) => country),
  column('language', 'text', ({ language }) => language),
  column('tags', 'list', ({ tags }) => tags.map(({ name }) => name)),
  column('marketing_consent', 'text', (contact) => contact.marketing_consent),
  column('blocked', 'boolean', ({ blocked }) => blocked),
  column('assigned_to', 'text', (contact) => contact.assigned_to),
  column('assigned_user', 'text', (contact) => contact.assigned_user?.full_name ?? null),
  column('assigned_team_id', 'text', (contact) => contact.assigned_team_id, false),
  column('account_id', 'text', (contact) => contact.account_id, false),
  column('source', 'text', ({ source }) => source),
  column('metadata', 'json', ({ metadata }) => metadata, false),
  column('first_seen_at', 'time', (contact) => contact.first_seen_at, false),
  column('last_message_at', 'time', (contact) => contact.last_message_at),
  column('last_inbound_at', 'time', (contact) => contact.last_inbound_at, false),
  column('unread_count', 'number', (contact) => contact.unread_count, false),
  column('created_at', 'time', (contact) => contact.created_at),
  column('updated_at', 'time', (contact) => contact.updated_at, false),
]

/** Columns of tags. */
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

/** Columns of messages. */
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
  column('ai_generated', 'boolean', ({ message }) => message.ai_generated, false),
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
export function contactColumns(ctx: Pick<Ctx, 'db' | 'organizationId'>): Column<ContactView>[] {
  const own = [...definitionsOf(ctx).values()].map(({ key, label, type }): Column<ContactView> => ({
    key: `attributes.${key}`,
    label,
    type: type === 'number' || type === 'boolean' ? type : 'text',
    isUsual: true,
    cell: ({ attributes }) => attributes[key] ?? null,
  }))
  return [...CONTACTS, ...own]
}

/** Returns the columns a file of this table can have. */
export const columnsOf = (
  ctx: Pick<Ctx, 'db' | 'organizationId'>,
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
