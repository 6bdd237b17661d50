import { fieldSentence, InvalidError } from '../../../lib/errors'
import { isUuid } from '../../../lib/ids'
import { isCountry } from '../../../lib/phone'
import type { Ctx } from '../../../infra/ctx'
import { transact, type Tx } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { FileTooLargeError } from '../../../infra/files/store'
import { enqueue } from '../../../infra/jobs/enqueue'
import { fileLimitError, invalidFileError, type SheetRow } from '../../../infra/sheets/row'
import { enterSheetQueue } from '../../../infra/sheets/concurrency'
import { requestedByOf } from '../../organization/auth/delegated-ctx'
import { MAX_TAGS } from '../../inbox/contacts/model'
import { columnsOf, checkHeader, headingsIn, mappingIn, type Heading } from './columns'
import { RunImport } from './jobs'
import type { ColumnView, ImportFields, ImportView } from './model'
import { belowHeader, openSheet } from './files/open'
import { publishStartIn } from './publish-work'
import { writtenRows } from './stored-rows'
import { imports } from './table'
import { importView, type ImportRow } from './view'
import type { ImportOptions } from './importer'
import { tagsWhere } from '../../inbox/tags/queries'

/** Maximum size of the stored rows of a file, bytes. */
const MAX_ROW_BYTES = 256 * 1_024 * 1_024

const invalid = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), {
    code: 'invalid_input',
    errors: [{ path, message }],
  })

/**
 * Creates an import from a file: checks its header, counts and stores its rows, and schedules the
 * job that processes them. Throws InvalidError for invalid input or an invalid file, AppError 413
 * for a file that is too large and 415 for an unsupported format.
 */
export async function startImport(
  ctx: Ctx,
  fields: ImportFields & { file: StagedFile },
): Promise<ImportView> {
  const options = optionsFrom(ctx, fields)
  const upload = await readUpload(ctx, {
    file: fields.file,
    columns: columnsOf(ctx, fields.table),
    mapping: fields.column_mapping,
    isDraft: isDraft(fields),
  })
  try {
    const { columns, format, rows } = upload
    const storedAs = await ctx.files.keep(upload.file)
    try {
      return insert(ctx, fields, { options: { ...options, columns }, format, storedAs, rows })
    } catch (error) {
      await ctx.files.remove(storedAs)
      throw error
    }
  } finally {
    await ctx.files.discard(upload.file)
  }
}

/** Rows of a file, stored beside the database until they are processed. */
export interface StoredUpload {
  columns: Heading[]
  format: 'csv' | 'xlsx' | 'json'
  file: StagedFile
  rows: number
}

/**
 * Reads a file with known columns once a slot is free, and stores its rows. The caller keeps or
 * discards the stored file. Throws like {@link startImport}, and UnavailableError `files_busy`.
 */
export async function readUpload(
  ctx: Ctx,
  from: {
    file: StagedFile
    columns: ColumnView[]
    mapping: string | undefined
    takesJson?: boolean
    /** Columns may still be missing. */
    isDraft?: boolean
    /** Columns that are mapped to `<this>.<any word>` are texts of their own. */
    ownSpace?: string
  },
): Promise<StoredUpload> {
  const mapping = mappingOf(from.mapping)
  const leave = await enterSheetQueue(ctx)
  try {
    const sheet = await openSheet(
      from.file.path,
      from.takesJson === true ? from.columns.map(({ key }) => key) : null,
    )
    try {
      const header = await headerOf(sheet.rows)
      const known = [...from.columns, ...ownColumns(mapping, from.ownSpace)]
      const columns = (from.isDraft === true ? headingsIn : checkHeader)(
        known,
        header.cells,
        mapping,
      )
      return {
        columns,
        format: sheet.format,
        ...(await keepRows(ctx, header, columns, sheet.rows)),
      }
    } finally {
      await sheet.rows.return(undefined)
    }
  } finally {
    leave()
  }
}

/** Returns the columns that a mapping makes up, each once. */
const ownColumns = (
  mapping: Record<string, string | null> | undefined,
  space: string | undefined,
): ColumnView[] =>
  [...new Set(space === undefined ? [] : Object.values(mapping ?? {}))].flatMap((key) =>
    key?.startsWith(`${space}.`) === true && key.length > `${space}.`.length
      ? [{ key, label: key, required: false, type: 'text', aliases: [] }]
      : [],
  )

/** Returns the first row of a file. Throws InvalidError `empty_file`. */
export async function headerOf(rows: AsyncGenerator<SheetRow>): Promise<SheetRow> {
  const first = await rows.next()
  if (first.done === true) throw invalidFileError('empty_file', 'is empty')
  return first.value
}

async function keepRows(
  ctx: Ctx,
  header: SheetRow,
  columns: Heading[],
  sheetRows: AsyncGenerator<SheetRow>,
): Promise<{ file: StagedFile; rows: number }> {
  let rows = 0
  const count = (): void => void (rows += 1)
  try {
    const file = await ctx.files.stage(
      writtenRows(belowHeader(header, sheetRows), columns, count),
      { maxBytes: MAX_ROW_BYTES },
    )
    if (rows > 0) return { file, rows }
    await ctx.files.discard(file)
  } catch (error) {
    if (error instanceof FileTooLargeError)
      throw fileLimitError('too_large_unpacked', 'is too large when unpacked')
    throw error
  }
  throw invalidFileError('empty_file', 'has no rows below the header')
}

const isYes = (flag: boolean | 'true' | 'false' | undefined, otherwise: boolean): boolean =>
  flag === undefined ? otherwise : flag === true || flag === 'true'

const isDraft = ({ draft }: ImportFields): boolean => isYes(draft, false)

/** Returns the validated options of an import. Throws InvalidError. */
const optionsFrom = (ctx: Ctx, fields: ImportFields): Omit<ImportOptions, 'columns'> => ({
  updatesDuplicates: isYes(fields.update_on_duplicate, false),
  defaultCountry: countryOf(fields.default_country ?? null),
  tagIds: knownTags(ctx, idsIn(fields.tag_ids)),
})

/** Returns a country code as it is stored. Throws InvalidError. */
export function countryOf(written: string | null): string | null {
  const country = written?.toUpperCase() ?? null
  if (country !== null && !isCountry(country))
    throw invalid('body.default_country', 'is not a country code')
  return country
}

/** Returns IDs that all are of tags. Throws InvalidError `unknown_tag`. */
export function knownTags(ctx: Ctx, tagIds: string[]): string[] {
  const known = new Set(tagsWhere(ctx, { ids: tagIds }).map(({ id }) => id))
  const errors = tagIds.flatMap((id, index) =>
    known.has(id)
      ? []
      : [{ path: `body.tag_ids.${index}`, message: 'is not a tag of this organization' }],
  )
  const [first] = errors
  if (first)
    throw new InvalidError(fieldSentence(first.path, first.message), {
      code: 'unknown_tag',
      errors,
    })
  return tagIds
}

/** Returns IDs from a JSON list or a comma-separated list. Throws InvalidError. */
function idsIn(written: string | undefined): string[] {
  if (written === undefined || written.trim() === '') return []
  const parsed = written.trim().startsWith('[')
    ? jsonIn(written, 'body.tag_ids')
    : written.split(',').map((id) => id.trim())
  const ids = Array.isArray(parsed)
    ? parsed.filter((id) => typeof id === 'string' && isUuid(id))
    : []
  if (!Array.isArray(parsed) || ids.length !== parsed.length || ids.length > MAX_TAGS)
    throw invalid('body.tag_ids', `must be up to ${MAX_TAGS} tag IDs`)
  return [...new Set(ids as string[])]
}

function jsonIn(written: string, path: string): unknown {
  try {
    return JSON.parse(written) as unknown
  } catch {
    throw invalid(path, 'must be JSON')
  }
}

/** Returns the mapping of headings to columns that a form asks for. Throws InvalidError. */
function mappingOf(written: string | undefined): Record<string, string | null> {
  const path = 'body.column_mapping'
  const parsed = written === undefined || written.trim() === '' ? {} : jsonIn(written, path)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw invalid(path, 'must be a JSON object')
  const mapping = Object.entries(mappingIn(parsed))
  return Object.fromEntries(mapping.map(([heading, key]) => [heading.trim(), key]))
}

interface Kept {
  options: ImportOptions
  format: 'csv' | 'xlsx' | 'json'
  storedAs: string
  rows: number
}

function insert(ctx: Ctx, fields: ImportFields & { file: StagedFile }, kept: Kept): ImportView {
  return transact(ctx.db, (tx) => {
    const filename = fields.file.facts.filename ?? `${fields.table}.${kept.format}`
    const row = addImportIn(tx, ctx, {
      ...kept,
      target: fields.table,
      isDryRun: isDraft(fields) || isYes(fields.dry_run, true),
      isDraft: isDraft(fields),
      filename,
    })
    if (!isDraft(fields))
      enqueue(tx, ctx, RunImport, {
        args: { importId: row.id },
        orderingKey: `imports:${ctx.organizationId}`,
      })
    return importView(row)
  })
}

/**
 * Creates an import whose rows are stored. Runs inside the caller's transaction.
 */
export function addImportIn(
  tx: Tx,
  ctx: Ctx,
  {
    isDraft: waits = false,
    ...kept
  }: Kept & {
    target: ImportRow['target']
    isDryRun: boolean
    isDraft?: boolean
    filename: string
  },
): ImportRow {
  const nowMs = ctx.clock.nowMs()
  const { options, rows, ...rest } = kept
  const row = tx
    .insert(imports)
    .values({
      ...rest,
      organizationId: ctx.organizationId,
      id: ctx.ids.next(),
      status: waits ? 'draft' : 'queued',
      options: JSON.stringify(options),
      rowsTotal: rows,
      createdBy: ctx.actor.userId,
      actor: JSON.stringify(requestedByOf(ctx.actor)),
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    })
    .returning()
    .get()
  if (!waits) publishStartIn(tx, ctx, row)
  return row
}
