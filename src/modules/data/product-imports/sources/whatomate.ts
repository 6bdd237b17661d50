import { realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

import type { Ctx } from '../../../../infra/ctx'
import { FileTooLargeError } from '../../../../infra/files/store'
import type { StagedFile } from '../../../../infra/files/staged-file'
import {
  FileRefusal,
  MAX_FILE_BYTES,
  type ProductEntry,
  type EntryFile,
  type MessageEntry,
  type ProductSource,
} from '../entries'
import { ProductImportError, type ProductThing } from '../model'
import { rowsOf, type DumpRow } from './sql-dump'

/** What a person says of a dump. */
export interface WhatomateOptions {
  /** The dump of its database. */
  path: string
  /** The folder of its files; `null` if it is not here. */
  media: string | null
  /** Name, slug or ID of the organization, if the dump has several. */
  organization: string | null
}

/** The tables that are small, and those that are read row by row. */
const SMALL = ['organizations', 'users', 'whatsapp_accounts', 'canned_responses', 'templates']
const MAX_SMALL_ROWS = 100_000

/** Rows of the organization, and names that others refer to. */
interface Known {
  organizationId: string
  numbers: Map<string, string>
  people: Map<string, string>
  small: ProductEntry[]
}

/**
 * Opens a dump of whatomate's database, made with `pg_dump --inserts`: looks at all of it once, so
 * that nothing is taken from a dump that is not complete. Throws ProductImportError.
 */
export async function openWhatomate(options: WhatomateOptions): Promise<ProductSource> {
  const known = await readSmall(options)
  return {
    product: 'whatomate',
    origin: named(known.organizationId),
    async *entries() {
      yield* known.small
      for await (const { table, row } of rowsOf(options.path, new Set(['contacts']))) {
        if (row === null) yield { kind: 'contact', id: 'too large', leftOut: 'too_large' }
        else if (table === 'contacts' && isOf(known, row)) yield contactOf(row)
      }
      for await (const { row } of rowsOf(options.path, new Set(['contacts'])))
        if (row && isOf(known, row)) yield conversationOf(known, row)
      for await (const { row } of rowsOf(options.path, new Set(['messages'])))
        if (row && isOf(known, row)) yield messageOf(known, row)
    },
    stage: (ctx, file) => stageFrom(ctx, options.media, file),
    close: () => undefined,
  }
}

/** Names an ID of the dump, so that nobody takes it for one of here. */
const named = (id: string | null | undefined): string => `whatomate/${id ?? ''}`

const isLive = (row: DumpRow): boolean => row['deleted_at'] == null
const isOf = ({ organizationId }: Known, row: DumpRow): boolean =>
  row['organization_id'] === organizationId

async function readSmall({ path, organization }: WhatomateOptions): Promise<Known> {
  const rows = new Map<string, DumpRow[]>(SMALL.map((table) => [table, []]))
  let count = 0
  for await (const { table, row } of rowsOf(path, new Set([...SMALL]))) {
    if (row === null || !isLive(row)) continue
    rows.get(table)?.push(row)
    count += 1
    if (count > MAX_SMALL_ROWS)
      throw new ProductImportError('The dump has too many users or texts.')
  }
  const rowsIn = (table: string): DumpRow[] => rows.get(table) ?? []
  const organizationId = chosenOrganization(rowsIn('organizations'), organization)
  const ofIt = (table: string): DumpRow[] =>
    rowsIn(table).filter((row) => row['organization_id'] === organizationId)
  return {
    organizationId,
    numbers: new Map(ofIt('whatsapp_accounts').map((row) => [row['name'] ?? '', named(row['id'])])),
    people: new Map(ofIt('users').map((row) => [row['id'] ?? '', row['full_name'] ?? ''])),
    small: [
      ...ofIt('whatsapp_accounts').map(({ id, phone_id: phoneId = null }): ProductEntry => ({
        ...{ kind: 'number', id: named(id), phoneId },
        ...{ phone: null, isWhatsApp: true },
      })),
      ...ofIt('users').map(({ id, email }): ProductEntry => ({
        kind: 'agent',
        id: named(id),
        email: email ?? '',
      })),
      ...ofIt('templates').map(({ id }): ProductEntry => ({
        kind: 'template',
        id: named(id),
        leftOut: 'templates_by_sync',
      })),
      ...ofIt('canned_responses').map(({ id, name, shortcut, content }): ProductEntry => ({
        ...{ kind: 'canned_response', id: named(id), name: name ?? '' },
        ...{ shortcut: shortcut ?? null, content: content ?? '' },
      })),
    ],
  }
}

/** Returns the ID of the organization that is meant. Throws ProductImportError. */
function chosenOrganization(rows: DumpRow[], wanted: string | null): string {
  const names = rows.map(({ name, slug }) => `${name} (${slug})`).join(', ')
  if (rows.length === 0)
    throw new ProductImportError('The dump has no organization. Is it one of whatomate?')
  const fitting =
    wanted === null
      ? rows
      : rows.filter(({ id, slug, name }) => [id, slug, name].some((one) => one === wanted))
  const [only, ...others] = fitting
  if (only && others.length === 0) return only['id'] ?? ''
  throw new ProductImportError(
    wanted === null
      ? `The dump has several organizations: ${names}. Name one with --from.`
      : `The dump has no single organization ${wanted}. It has: ${names}.`,
  )
}

/** Returns a JSON value of a row; `null` if it has none or cannot be read. */
function jsonOf(text: string | null | undefined): unknown {
  try {
    return text == null ? null : (JSON.parse(text) as unknown)
  } catch {
    return null
  }
}

/** Returns a time of PostgreSQL in milliseconds, or `null`. */
function postgresTime(text: string | null | undefined): number | null {
  const [, day, time, zone] =
    /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d{1,3})?)\d*([+-]\d\d(?::\d\d)?)?$/.exec(text ?? '') ??
    []
  if (day === undefined) return null
  const offset = zone === undefined ? 'Z' : zone.length === 3 ? `${zone}:00` : zone
  const ms = Date.parse(`${day}T${time}${offset}`)
  return Number.isNaN(ms) ? null : ms
}

const gone = (kind: ProductThing, { id }: DumpRow): ProductEntry => ({
  ...{ kind, id: named(id), leftOut: 'deleted' },
})

function contactOf(row: DumpRow): ProductEntry {
  if (!isLive(row)) return gone('contact', row)
  const tags = jsonOf(row['tags'])
  const fields = jsonOf(row['metadata'])
  const phone = row['phone_number'] ?? null
  return {
    kind: 'contact',
    id: named(row['id']),
    // Its numbers are those of WhatsApp: international, without a plus.
    phone: phone !== null && /^\d{7,15}$/.test(phone) ? `+${phone}` : phone,
    name: row['profile_name'] ?? null,
    tags: Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === 'string') : [],
    fields: typeof fields === 'object' && fields !== null ? { ...fields } : {},
    createdAtMs: postgresTime(row['created_at']),
  }
}

const accountOf = ({ numbers }: Known, row: DumpRow): string =>
  numbers.get(row['whats_app_account'] ?? row['whatsapp_account'] ?? '') ?? ''

function conversationOf(known: Known, row: DumpRow): ProductEntry {
  if (!isLive(row)) return gone('conversation', row)
  const id = named(row['id'])
  const isOpen = row['is_read'] === 'false'
  return { kind: 'conversation', id, contact: id, number: accountOf(known, row), isOpen }
}

const FILE_KINDS = new Set(['image', 'video', 'audio', 'document', 'sticker'])

function messageOf(known: Known, row: DumpRow): ProductEntry {
  if (!isLive(row)) return gone('message', row)
  const type = row['message_type'] ?? ''
  const id = named(row['id'])
  if (type === 'reaction') return { kind: 'message', id, leftOut: 'reaction' }
  const isIncoming = row['direction'] === 'incoming'
  const quoted = row['reply_to_message_id']
  const path = row['media_url'] ?? ''
  return {
    ...{ kind: 'message', id, contact: named(row['contact_id']), number: accountOf(known, row) },
    waMessageId: row['whatsapp_message_id'] || null,
    direction: isIncoming ? 'incoming' : 'outgoing',
    text: textOf(row, type),
    location: null, // it stores none
    file: FILE_KINDS.has(type)
      ? { at: path, kind: type as EntryFile['kind'], filename: row['media_filename'] || null }
      : null,
    atMs: postgresTime(row['created_at']) ?? 0,
    status: statusOf(row['status']),
    problem: row['error_message'] || null,
    author: isIncoming ? null : (known.people.get(row['sent_by_user_id'] ?? '') ?? null),
    quotes: quoted == null ? null : { id: named(quoted) },
  }
}

/** Returns its text; of a kind without one, what it was. */
function textOf(row: DumpRow, type: string): string {
  const text = row['content'] ?? ''
  if (text.trim() !== '' || FILE_KINDS.has(type)) return text
  return `[${[type, row['template_name']].filter(Boolean).join(': ')}]`
}

const statusOf = (status: string | null | undefined): MessageEntry['status'] =>
  status === 'delivered' || status === 'read' || status === 'failed' ? status : 'sent'

/** Reads a file below the folder of its files, and none elsewhere. Throws FileRefusal. */
async function stageFrom(ctx: Ctx, folder: string | null, file: EntryFile): Promise<StagedFile> {
  if (folder === null) throw new FileRefusal('no_media_folder')
  let path: string
  try {
    const root = realpathSync(folder)
    path = realpathSync(join(root, file.at))
    if (!path.startsWith(`${root}${sep}`) || !statSync(path).isFile())
      throw new FileRefusal('file_missing')
  } catch {
    throw new FileRefusal('file_missing')
  }
  try {
    return await ctx.files.stage(Bun.file(path).stream(), {
      filename: file.filename,
      maxBytes: MAX_FILE_BYTES,
    })
  } catch (error) {
    if (error instanceof FileTooLargeError) throw new FileRefusal('file_refused')
    throw error
  }
}
