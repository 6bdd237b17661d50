import { InvalidError } from '../../../lib/errors'
import type { Ctx } from '../../../infra/ctx'
import {
  componentOf,
  mediaFormatOf,
  type Component,
  type Header,
} from '../../../platform/templates/components'
import type { AccountRow } from '../accounts/view'
import { openFileForUpload } from '../media/platform-uploads'
import { componentsOf, type TemplateRow } from './view'
import { uploadSample } from './upload-sample'

/**
 * Returns the components with a sample in every header that carries a file. Uploads stored files as
 * samples. Throws InvalidError `sample_missing`.
 */
export async function withSamples(
  ctx: Ctx,
  row: TemplateRow,
  account: AccountRow,
): Promise<Component[]> {
  const components = componentsOf(row)
  const missing = findMissingSamples(components, row.headerMediaId)
  if (missing.some(({ mediaId }) => mediaId === null))
    throw new InvalidError(
      'The header needs a sample file. Upload one with `POST /api/templates/upload-media`.',
      {
        code: 'sample_missing',
        errors: missing
          .filter(({ mediaId }) => mediaId === null)
          .map(({ path }) => ({ path, message: 'is required: upload a sample file' })),
      },
    )
  const handles = new Map<string, string>()
  for (const { mediaId } of missing)
    if (mediaId !== null && !handles.has(mediaId))
      handles.set(mediaId, await uploadHeaderFile(ctx, account, mediaId))
  const filled = (header: Header, mediaId: string | null): Header => {
    const handle = mediaId === null ? undefined : handles.get(mediaId)
    return mediaFormatOf(header) === null || handle === undefined || !isMissingSample(header)
      ? header
      : ({ ...header, example: { header_handle: [handle] } } as Header)
  }
  return components.map((component): Component => {
    if (component.type === 'HEADER')
      return filled(component, headerFileIdOf(component) ?? row.headerMediaId)
    if (component.type !== 'CAROUSEL') return component
    return {
      ...component,
      cards: component.cards.map((card) => ({
        components: card.components.map((part) =>
          part.type === 'HEADER' ? filled(part, headerFileIdOf(part)) : part,
        ),
      })),
    }
  })
}

const headerFileIdOf = (header: Header): string | null =>
  'media_id' in header ? (header.media_id ?? null) : null

const isMissingSample = (header: Header): boolean =>
  mediaFormatOf(header) !== null &&
  ('example' in header
    ? ((header.example as { header_handle?: string[] }).header_handle?.length ?? 0)
    : 0) === 0

/** Returns the headers without a sample, each with the stored file that can serve as one. */
export function findMissingSamples(
  components: readonly Component[],
  headerMediaId: string | null,
): { path: string; mediaId: string | null }[] {
  const header = componentOf(components, 'HEADER')
  const own =
    header && isMissingSample(header)
      ? [{ path: 'header_media_id', mediaId: headerFileIdOf(header) ?? headerMediaId }]
      : []
  const cards = (componentOf(components, 'CAROUSEL')?.cards ?? []).flatMap((card, index) => {
    const cardHeader = componentOf(card.components, 'HEADER')
    return cardHeader && isMissingSample(cardHeader)
      ? [{ path: `components.cards.${index}.media_id`, mediaId: headerFileIdOf(cardHeader) }]
      : []
  })
  return [...own, ...cards]
}

async function uploadHeaderFile(ctx: Ctx, account: AccountRow, mediaId: string): Promise<string> {
  const file = await openFileForUpload(ctx, mediaId)
  if (file === null)
    throw new InvalidError('The sample file of the header was deleted. Upload it again.', {
      code: 'sample_missing',
      details: { media_id: mediaId },
    })
  return await uploadSample(ctx, account, file)
}
