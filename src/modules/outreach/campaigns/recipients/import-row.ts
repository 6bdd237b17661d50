import { unescapeFormula } from '../../../../lib/csv'
import { AppError } from '../../../../lib/errors'
import {
  cellReader,
  problemsOfShape,
  refused,
  type Done,
  type ReadRow,
  type FileImportWork,
} from '../../../data/imports/importer'
import { getOrganization } from '../../../organization/organizations/service'
import { importRecipientIn, readRecipient, type ImportTarget, type ReadRecipient } from './import'
import type { NewRecipient } from './model'
import { requireImportable } from './service'

/** Returns a row of a file in the shape of the JSON body. */
export function toNewRecipient(cells: Map<string, string>): NewRecipient {
  const input: Record<string, unknown> = {}
  for (const [column, written] of cells) {
    const [, space, key] =
      /^(template_params|header_params|button_params|columns)\.(.+)$/.exec(column) ?? []
    const text = unescapeFormula(written)
    if (space === undefined || key === undefined) input[column] = text
    else
      input[space] = {
        ...(input[space] as object | undefined),
        [key]: space === 'columns' ? text : richOr(text),
      }
  }
  return input as NewRecipient
}

/**
 * Parses a cell that holds a currency or date object of the platform; returns other cells as text.
 */
function richOr(text: string): unknown {
  if (!/^\{.*"(?:currency|date_time)".*\}$/s.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** Imports the rows of a recipient file in a job. */
export const recipientWork: FileImportWork<ReadRecipient> = {
  reader: (ctx, options) => {
    const country = getOrganization(ctx).defaultCountry
    const cellsOf = cellReader(options)
    return (placed) => {
      const input = toNewRecipient(cellsOf(placed))
      const read = readRecipient(input, country)
      const problems = problemsOfShape(placed)
      const written = input.phone_number ?? input.user_id ?? ''
      if ('reason' in read)
        problems.push({ column: null, message: read.reason, value: written.slice(0, 255) })
      const nobody = { contactId: null, phoneNumber: null, userId: null, name: null, params: null }
      return {
        row: placed.stored[0],
        end: placed.end,
        identity: null,
        written,
        what: 'reason' in read ? nobody : read,
        problems,
      }
    }
  },
  doer: (tx, { ctx, options }) => {
    const campaignId = options.campaignId ?? ''
    let to: ImportTarget | null = null
    const one = ({ what, written }: ReadRow<ReadRecipient>): Done => {
      try {
        to ??= requireImportable(ctx, campaignId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return refused('failed', { column: null, message: error.message, value: null })
      }
      const result = importRecipientIn(tx, ctx, to, what)
      if (result === 'duplicate')
        return refused('skipped', {
          column: null,
          message: 'The recipient is already in the campaign.',
          value: written,
        })
      if ('reason' in result)
        return refused('failed', { column: null, message: result.reason, value: written })
      return { outcome: 'created', targetId: null, problems: [], undo: null }
    }
    return { one, settle: () => undefined }
  },
  takeBackIn: () => false,
}
