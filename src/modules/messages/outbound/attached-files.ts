import type { Ctx } from '../../../infra/ctx'
import { fetchMediaUrl } from '../../media/prepare-to-send'
import { storeUpload } from '../../media/upload'
import type { MediaRow } from '../../media/view'
import { type ParsedMessage } from '../compose/input'
import type { FileInput } from '../compose/media'
import {
  fileOf,
  resolveTarget,
  requireWindow,
  type ResolvedTarget,
  type TargetInput,
} from './resolve-target'
import { requireQueueSpace } from './queue-limit'
import { templateMessage, type TemplateFiles } from '../compose/template/fill'

/**
 * Files of a message that had to be stored first: its own, and those of the cards of its template
 * by place.
 */
export type AttachedFiles = TemplateFiles

/** Nothing had to be stored first. */
export const NO_ATTACHED_FILES: AttachedFiles = { header: null, cards: [] }

/**
 * The files a message brings or names by their address, stored. What would be refused anyway is
 * refused before.
 */
export async function storeFiles(
  ctx: Ctx,
  parsed: ParsedMessage,
  target: TargetInput,
): Promise<AttachedFiles> {
  const input = [parsed.file, ...(parsed.template?.cardFiles ?? [])]
  const isNew = (file: FileInput | null): file is FileInput =>
    file !== null && file.mediaId === null
  if (!input.some(isNew)) return NO_ATTACHED_FILES
  const resolved = resolveTarget(ctx, target)
  if (parsed.template)
    templateMessage(
      parsed.template,
      parsed.file,
      filesOf(ctx, parsed, { resolved, stored: NO_ATTACHED_FILES }),
    )
  else requireWindow(ctx, resolved)
  if (resolved.contact) requireQueueSpace(ctx, resolved.contact.id)
  const stored: (MediaRow | null)[] = []
  for (const file of input) stored.push(isNew(file) ? await storeFile(ctx, file) : null)
  const [header = null, ...cards] = stored
  return { header, cards }
}

const storeFile = async (
  ctx: Ctx,
  { kind, filename, path, staged, url }: FileInput,
): Promise<MediaRow> =>
  staged
    ? await storeUpload(ctx, { file: staged, kind, filename })
    : await fetchMediaUrl(ctx, url ?? '', kind, { path })

/**
 * The files of a message that are there: those it names by id, and those that were stored for it.
 */
export const filesOf = (
  ctx: Ctx,
  { template }: ParsedMessage,
  { resolved, stored }: { resolved: ResolvedTarget; stored: AttachedFiles },
): TemplateFiles => ({
  header: resolved.file ?? stored.header,
  cards:
    template?.cardFiles.map((input, index) => fileOf(ctx, input) ?? stored.cards[index] ?? null) ??
    [],
})
