import type { Ctx } from '../../../../infra/ctx'
import { transact } from '../../../../infra/db/transact'
import type { StagedFile } from '../../../../infra/files/staged-file'
import { enqueue } from '../../../../infra/jobs/enqueue'
import { addImportIn, readUpload, type StoredUpload } from '../../../data/imports/create'
import type { ColumnView, ImportView } from '../../../data/imports/model'
import { readRows } from '../../../data/imports/stored-rows'
import { importView } from '../../../data/imports/view'
import { cellReader, type ImportOptions } from '../../../data/imports/importer'
import { nameOfVariable } from '../draft/values'
import { findTemplateOf } from '../draft/template'
import { getCampaignRow } from '../state'
import { ImportRecipients } from '../jobs'
import { MAX_AT_ONCE, type RecipientImportView } from './model'
import {
  importRecipients,
  deleteAllRecipients,
  newImport,
  requireNotStarted,
  requireImportable,
} from './service'
import { toNewRecipient } from './import-row'

const ADDRESSES: ColumnView[] = [
  {
    key: 'phone_number',
    label: 'Phone number',
    required: true,
    type: 'phone',
    aliases: [
      'phone',
      'telephone',
      'tel',
      'mobile',
      'mobile number',
      'cell',
      'number',
      'whatsapp',
      'whatsapp number',
      'msisdn',
      'wa_id',
    ],
  },
  {
    key: 'user_id',
    label: 'User id',
    required: false,
    type: 'text',
    aliases: ['whatsapp user id', 'bsuid'],
  },
]

const NAME: ColumnView = {
  key: 'recipient_name',
  label: 'Recipient name',
  required: false,
  type: 'text',
  aliases: ['name', 'full name', 'contact name', 'customer', 'customer name'],
}

/**
 * Returns the columns that a recipient file can have: phone number, user ID, the variables of the
 * template, and the name unless a variable has that name.
 */
function columnsFor(ctx: Ctx, campaignId: string): ColumnView[] {
  const { templateId } = getCampaignRow(ctx, campaignId)
  const names = [
    ...new Set(
      (findTemplateOf(ctx, templateId)?.variables ?? [])
        .filter(({ card }) => card === null)
        .map(nameOfVariable),
    ),
  ]
  const variables = names.map((name): ColumnView => {
    const [, part, key = name] = /^(header|button)\.(.+)$/.exec(name) ?? []
    const space =
      part === 'header' ? 'header_params' : part === 'button' ? 'button_params' : 'template_params'
    return {
      key: `${space}.${key}`,
      label: name,
      required: false,
      type: 'text',
      aliases: part === undefined ? [`{{${key}}}`] : [],
    }
  })
  return [...ADDRESSES, ...variables, NAME]
}

/**
 * Imports recipients from a CSV, XLSX or JSON file: at once if there are at most 10,000 rows,
 * otherwise by a job. Throws the errors of an import and of {@link requireImportable}.
 */
export async function importRecipientFile(
  ctx: Ctx,
  campaignId: string,
  input: { file: StagedFile; mapping: string | undefined; isReplacing: boolean },
): Promise<{ result: RecipientImportView } | { import: ImportView }> {
  requireImportable(ctx, campaignId)
  const upload = await readUpload(ctx, {
    file: input.file,
    columns: columnsFor(ctx, campaignId),
    mapping: input.mapping,
    takesJson: true,
    ownSpace: 'columns',
  })
  try {
    if (input.isReplacing) await deleteAllRecipients(ctx, campaignId)
    if (upload.rows <= MAX_AT_ONCE) return { result: await importRows(ctx, campaignId, upload) }
    return {
      import: await startImport(ctx, campaignId, { upload, filename: input.file.facts.filename }),
    }
  } finally {
    await ctx.files.discard(upload.file)
  }
}

async function importRows(
  ctx: Ctx,
  campaignId: string,
  upload: StoredUpload,
): Promise<RecipientImportView> {
  const progress = newImport(campaignId)
  const cellsOf = cellReader(upload)
  let view: RecipientImportView | null = null
  for await (const placed of readRows(upload.file.path, 0))
    view = await importRecipients(
      ctx,
      placed.map((one) => ({ row: one.stored[0], input: toNewRecipient(cellsOf(one)) })),
      progress,
    )
  return view ?? (await importRecipients(ctx, [], progress))
}

async function startImport(
  ctx: Ctx,
  campaignId: string,
  from: { upload: StoredUpload; filename: string | null | undefined },
): Promise<ImportView> {
  const { columns, format, file, rows } = from.upload
  const storedAs = await ctx.files.keep(file)
  try {
    return transact(ctx.db, (tx) => {
      requireNotStarted(ctx, campaignId)
      const options: ImportOptions = {
        columns,
        updatesDuplicates: false,
        defaultCountry: null,
        tagIds: [],
        campaignId,
      }
      const filename = from.filename ?? `recipients.${format}`
      const row = addImportIn(tx, ctx, {
        options,
        format,
        storedAs,
        rows,
        target: 'recipients',
        isDryRun: false,
        filename,
      })
      enqueue(tx, ctx, ImportRecipients, {
        args: { importId: row.id },
        orderingKey: `imports:${ctx.organizationId}`,
      })
      return importView(row)
    })
  } catch (error) {
    await ctx.files.remove(storedAs)
    throw error
  }
}
