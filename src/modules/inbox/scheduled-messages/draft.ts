import { fieldSentence, InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import { findMedia } from '../../channel/media/store'
import type { MediaRow } from '../../channel/media/view'
import { parseMessage, type MessageInput, type ParsedMessage } from '../messages/compose/input'
import { isSecret } from '../messages/compose/template/fill'
import { storeNewFiles, type AttachedFiles } from '../messages/outbound/attached-files'
import { prepareMessage, targetOf } from '../messages/outbound/create'
import { resolveTarget, type TargetInput } from '../messages/outbound/resolve-target'
import type { ScheduledMessageChanges } from './model'

type Message = NonNullable<ScheduledMessageChanges['message']>
type Template = NonNullable<ScheduledMessageChanges['fallback_template']>

/** What a person scheduled: the message, and the template for a closed window. */
export interface ScheduledDraft {
  contactId: string
  accountId: string | undefined
  message: Message
  fallback: Template | null
}

/** IDs of the files that were fetched for one message. */
export interface StoredIds {
  header: string | null
  cards: (string | null)[]
}

/** The files that were fetched for a draft. */
export interface DraftFiles {
  message: StoredIds
  fallback: StoredIds
}

const NO_FILES: StoredIds = { header: null, cards: [] }

/** A message that is ready for {@link prepareMessage}. */
export interface DraftPart {
  parsed: ParsedMessage
  target: TargetInput
}

/** Returns a message of a draft as sending reads it. Throws as `parseMessage`. */
export function partOf(ctx: Ctx, draft: Omit<ScheduledDraft, 'fallback'>): DraftPart {
  const { contactId, message } = draft
  const accountId = draft.accountId ?? message.account_id
  const named = { ...message, ...(accountId === undefined ? {} : { account_id: accountId }) }
  const parsed = parseMessage(ctx, named)
  return { parsed, target: targetOf({ contactId }, named, parsed) }
}

/** Returns a fallback template as a message. */
export const messageOfTemplate = (template: Template): MessageInput => ({
  ...template,
  type: 'template',
})

/** Gives the paths of a message's problems the place of the message in the request. */
function inPlace<T>(place: string, work: () => T): T {
  const moved = (path: string): string =>
    path === 'body.account_id' ? path : path.replace(/^body(?=\.|$)/, place)
  try {
    return work()
  } catch (error) {
    if (!(error instanceof InvalidError) || error.errors === undefined) throw error
    const errors = error.errors.map((problem) => ({ ...problem, path: moved(problem.path) }))
    const [first] = errors
    throw new InvalidError(
      error.code === 'invalid_input' && first
        ? fieldSentence(first.path, first.message)
        : error.message,
      { code: error.code, errors },
    )
  }
}

async function inPlaceLater<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    return inPlace(place, () => {
      throw error
    })
  }
}

/** The parts of a draft with the places of their fields in the request. */
function partsOf(
  ctx: Ctx,
  draft: ScheduledDraft,
): { message: DraftPart; fallback: DraftPart | null } {
  const message = inPlace('body.message', () => partOf(ctx, draft))
  refuseOneTimeCode('body.message', message)
  if (draft.fallback === null) return { message, fallback: null }
  if (message.parsed.template) throw refused('body.fallback_template', 'is only for other messages')
  const fallback = inPlace('body.fallback_template', () =>
    partOf(ctx, { ...draft, message: messageOfTemplate(draft.fallback ?? {}) }),
  )
  refuseOneTimeCode('body.fallback_template', fallback)
  return { message, fallback }
}

function refuseOneTimeCode(place: string, { parsed: { template } }: DraftPart): void {
  if (template && isSecret(template.row))
    throw refused(`${place}.template_id`, 'is a one-time code, which cannot be scheduled')
}

const refused = (path: string, message: string): InvalidError =>
  new InvalidError(fieldSentence(path, message), { errors: [{ path, message }] })

/**
 * Fetches the files that a draft names by URL, after everything else is validated. Throws as
 * sending, except that an open window is not required.
 */
export async function fetchFiles(ctx: Ctx, draft: ScheduledDraft): Promise<DraftFiles> {
  const { message, fallback } = partsOf(ctx, draft)
  inPlace('body.message', () => resolveTarget(ctx, message.target))
  if (fallback) inPlace('body.fallback_template', () => resolveTarget(ctx, fallback.target))
  return {
    message: idsOf(await inPlaceLater('body.message', () => storeNewFiles(ctx, message.parsed))),
    fallback: fallback
      ? idsOf(
          await inPlaceLater('body.fallback_template', () => storeNewFiles(ctx, fallback.parsed)),
        )
      : NO_FILES,
  }
}

const idsOf = ({ header, cards }: AttachedFiles): StoredIds => ({
  header: header?.id ?? null,
  cards: cards.map((card) => card?.id ?? null),
})

/** Returns files that were fetched before; those deleted since are left out. */
export function fetchedFiles(ctx: Ctx, { header, cards }: StoredIds): AttachedFiles {
  const rows = findMedia(
    ctx,
    [header, ...cards].filter((id) => id !== null),
  )
  const rowOf = (id: string | null): MediaRow | null => rows.find((row) => row.id === id) ?? null
  return { header: rowOf(header), cards: cards.map(rowOf) }
}

/**
 * Validates a draft as sending would, except that an open window is not required. Returns the phone
 * number it is sent from and the files it uses. Throws as sending.
 */
export function checkDraft(
  ctx: Ctx,
  draft: ScheduledDraft,
  files: DraftFiles,
): { accountId: string; mediaIds: string[] } {
  const { message, fallback } = partsOf(ctx, draft)
  const { resolved, filled } = inPlace('body.message', () =>
    prepareMessage(
      ctx,
      { ...message, stored: fetchedFiles(ctx, files.message) },
      { isLater: true },
    ),
  )
  const accountId = resolved.account.id
  if (!fallback) return { accountId, mediaIds: filled.mediaIds }
  const template = inPlace('body.fallback_template', () =>
    prepareMessage(
      ctx,
      {
        parsed: fallback.parsed,
        target: { ...fallback.target, accountId },
        stored: fetchedFiles(ctx, files.fallback),
      },
      { isLater: true },
    ),
  )
  return { accountId, mediaIds: [...new Set([...filled.mediaIds, ...template.filled.mediaIds])] }
}
