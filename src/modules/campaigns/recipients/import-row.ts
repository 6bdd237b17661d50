import { unescapeFormula } from '../../../lib/csv'
import { AppError } from '../../../lib/errors'
import {
  cellReader,
  problemsOfShape,
  refused,
  type Done,
  type ReadRow,
  type Work,
} from '../../imports/importer'
import { getOrganization } from '../../organizations/service'
import { addRecipientsIn, readRecipient, type Loading, type ReadRecipient } from './import'
import type { NewRecipient } from './model'
import { requireOpen } from './service'

/** A row of a file as a JSON body would say it. */
export function requestedBy(cells: Map<string, string>): NewRecipient {
  const asked: Record<string, unknown> = {}
  for (const [column, written] of cells) {
    const [, space, key] =
      /^(template_params|header_params|button_params)\.(.+)$/.exec(column) ?? []
    const text = unescapeFormula(written)
    if (space === undefined || key === undefined) asked[column] = text
    else asked[space] = { ...(asked[space] as object | undefined), [key]: richOr(text) }
  }
  return asked as NewRecipient
}

/** An amount or a date as the platform's object, where a cell holds one; else its text. */
function richOr(text: string): unknown {
  if (!/^\{.*"(?:currency|date_time)".*\}$/s.test(text)) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

/** How recipients are brought in by a job, row by row. */
export const recipientWork: Work<ReadRecipient> = {
  reader: (ctx, options) => {
    const country = getOrganization(ctx).defaultCountry
    const cellsOf = cellReader(options)
    return (placed) => {
      const asked = requestedBy(cellsOf(placed))
      const read = readRecipient(asked, country)
      const problems = problemsOfShape(placed)
      const written = asked.phone_number ?? asked.user_id ?? ''
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
    let to: Loading | null = null
    const one = ({ what, written }: ReadRow<ReadRecipient>): Done => {
      try {
        to ??= requireOpen(ctx, campaignId)
      } catch (error) {
        if (!(error instanceof AppError)) throw error
        return refused('failed', { column: null, message: error.message, value: null })
      }
      const brought = addRecipientsIn(tx, ctx, to, what)
      if (brought === 'duplicate')
        return refused('skipped', {
          column: null,
          message: 'The recipient is already in the campaign.',
          value: written,
        })
      if ('reason' in brought)
        return refused('failed', { column: null, message: brought.reason, value: written })
      return { outcome: 'created', targetId: null, problems: [], undo: null }
    }
    return { one, settle: () => undefined }
  },
  takeBackIn: () => false,
}
