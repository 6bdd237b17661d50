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
import { refuseFullQueue } from './queue-limit'
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
  draft: ParsedMessage,
  way: TargetInput,
): Promise<AttachedFiles> {
  const asked = [draft.file, ...(draft.template?.cardFiles ?? [])]
  const isNew = (file: FileInput | null): file is FileInput =>
    file !== null && file.mediaId === null
  if (!asked.some(isNew)) return NO_ATTACHED_FILES
  const passage = resolveTarget(ctx, way)
  if (draft.template)
    templateMessage(
      draft.template,
      draft.file,
      filesOf(ctx, draft, { passage, stored: NO_ATTACHED_FILES }),
    )
  else requireWindow(ctx, passage)
  if (passage.contact) refuseFullQueue(ctx, passage.contact.id)
  const stored: (MediaRow | null)[] = []
  for (const file of asked) stored.push(isNew(file) ? await storeFile(ctx, file) : null)
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
  { passage, stored }: { passage: ResolvedTarget; stored: AttachedFiles },
): TemplateFiles => ({
  header: passage.file ?? stored.header,
  cards:
    template?.cardFiles.map((asked, index) => fileOf(ctx, asked) ?? stored.cards[index] ?? null) ??
    [],
})
