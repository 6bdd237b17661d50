import type { Ctx } from '../../../infra/ctx'
import { transact } from '../../../infra/db/transact'
import type { StagedFile } from '../../../infra/files/staged-file'
import { enqueue } from '../../../infra/jobs/enqueue'
import { addImportIn, takeIn, type StoredUpload } from '../../imports/create'
import type { ColumnView, ImportView } from '../../imports/model'
import { readRows } from '../../imports/stored-rows'
import { importView } from '../../imports/view'
import { cellReader, type ImportOptions } from '../../imports/importer'
import { nameOfVariable } from '../draft/values'
import { findTemplateOf } from '../draft/template'
import { getCampaignRow } from '../state'
import { ImportRecipients } from '../jobs'
import { MAX_AT_ONCE, type RecipientImportView } from './model'
import {
  importRecipients,
  emptyCampaign,
  nothingYet,
  requireLoadable,
  requireOpen,
} from './service'
import { requestedBy } from './import-row'

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
 * The columns a file for a campaign may have: the address, the variables of its template, and the
 * name where no variable is called so.
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
 * Brings in the recipients of a CSV, XLSX or JSON file: at once, or, when they are many, by a job
 * with a report. Throws as an import does, and as {@link requireOpen}.
 */
export async function importRecipientFile(
  ctx: Ctx,
  campaignId: string,
  asked: { file: StagedFile; mapping: string | undefined; isReplacing: boolean },
): Promise<{ brought: RecipientImportView } | { import: ImportView }> {
  requireOpen(ctx, campaignId)
  const taken = await takeIn(ctx, {
    file: asked.file,
    columns: columnsFor(ctx, campaignId),
    mapping: asked.mapping,
    takesJson: true,
  })
  try {
    if (asked.isReplacing) await emptyCampaign(ctx, campaignId)
    if (taken.rows <= MAX_AT_ONCE) return { brought: await bringRows(ctx, campaignId, taken) }
    return {
      import: await startImport(ctx, campaignId, { taken, filename: asked.file.facts.filename }),
    }
  } finally {
    await ctx.files.discard(taken.file)
  }
}

async function bringRows(
  ctx: Ctx,
  campaignId: string,
  taken: StoredUpload,
): Promise<RecipientImportView> {
  const so = nothingYet(campaignId)
  const cellsOf = cellReader(taken)
  let view: RecipientImportView | null = null
  for await (const placed of readRows(taken.file.path, 0))
    view = await importRecipients(
      ctx,
      placed.map((one) => ({ row: one.stored[0], asked: requestedBy(cellsOf(one)) })),
      so,
    )
  return view ?? (await importRecipients(ctx, [], so))
}

async function startImport(
  ctx: Ctx,
  campaignId: string,
  from: { taken: StoredUpload; filename: string | null | undefined },
): Promise<ImportView> {
  const { columns, format, file, rows } = from.taken
  const storedAs = await ctx.files.keep(file)
  try {
    return transact(ctx.db, (tx) => {
      requireLoadable(ctx, campaignId)
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
        serialKey: `imports:${ctx.organizationId}`,
      })
      return importView(row)
    })
  } catch (error) {
    await ctx.files.remove(storedAs)
    throw error
  }
}
