import type { Ctx } from '../../../../infra/ctx'
import { fetchMediaUrl } from '../../../channel/media/fetch-url'
import { storeUpload } from '../../../channel/media/upload'
import type { MediaRow } from '../../../channel/media/view'
import { cardFilesOf, type ParsedMessage } from '../compose/input'
import type { FileInput } from '../compose/media'
import {
  fileOf,
  resolveTarget,
  requireFreeForm,
  type ResolvedTarget,
  type TargetInput,
} from './resolve-target'
import { requireQueueSpace } from './queue-limit'
import { templateMessage, type TemplateFiles } from '../compose/template/fill'

/** Files stored before the message: its own, and those of its cards by index. */
export type AttachedFiles = TemplateFiles

/** No file had to be stored before the message. */
export const NO_ATTACHED_FILES: AttachedFiles = { header: null, cards: [] }

/**
 * Stores the files that a request uploads or names by URL. Everything else is validated first, so a
 * rejected message leaves no file behind. Throws as `createMessage`.
 */
export async function storeFiles(
  ctx: Ctx,
  parsed: ParsedMessage,
  target: TargetInput,
): Promise<AttachedFiles> {
  if (![parsed.file, ...cardFilesOf(parsed)].some(isNew)) return NO_ATTACHED_FILES
  const resolved = resolveTarget(ctx, target)
  if (parsed.template)
    templateMessage(
      parsed.template,
      parsed.file,
      filesOf(ctx, parsed, { resolved, stored: NO_ATTACHED_FILES }),
    )
  else requireFreeForm(ctx, resolved)
  if (resolved.contact) requireQueueSpace(ctx, resolved.contact.id)
  return await storeNewFiles(ctx, parsed)
}

/**
 * Stores the files that a message uploads or names by URL. The caller has validated the rest. Throws
 * InvalidError `media_url_refused` or `content_mismatch`.
 */
export async function storeNewFiles(ctx: Ctx, parsed: ParsedMessage): Promise<AttachedFiles> {
  const stored: (MediaRow | null)[] = []
  for (const file of [parsed.file, ...cardFilesOf(parsed)])
    stored.push(isNew(file) ? await storeFile(ctx, file) : null)
  const [header = null, ...cards] = stored
  return { header, cards }
}

const isNew = (file: FileInput | null): file is FileInput => file !== null && file.mediaId === null

const storeFile = async (
  ctx: Ctx,
  { kind, filename, path, staged, url }: FileInput,
): Promise<MediaRow> =>
  staged
    ? await storeUpload(ctx, { file: staged, kind, filename })
    : await fetchMediaUrl(ctx, url ?? '', kind, { path })

/** The stored files of a message: those named by ID and those uploaded with the request. */
export const filesOf = (
  ctx: Ctx,
  parsed: ParsedMessage,
  { resolved, stored }: { resolved: ResolvedTarget; stored: AttachedFiles },
): TemplateFiles => ({
  header: resolved.file ?? stored.header,
  cards: cardFilesOf(parsed).map(
    (input, index) => fileOf(ctx, input) ?? stored.cards[index] ?? null,
  ),
})
