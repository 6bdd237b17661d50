import type { Ctx } from '../../../infra/ctx'
import type { Tx } from '../../../infra/db/transact'
import { of } from '../../../infra/scoped'
import {
  componentOf,
  headerKind,
  mediaFormatOf,
  type Component,
} from '../../../platform/templates/components'
import { findMedia, keepMediaIn, releaseMediaIn } from '../media/store'
import { templateCardFiles } from './table'
import { componentsOf, sentComponentsOf, sentHeaderFileOf, type TemplateRow } from './view'

/** Returns the stored files in the card headers. */
export const cardFilesOf = (
  components: readonly Component[],
): { card: number; mediaId: string; kind: 'image' | 'video' | 'document' }[] =>
  (componentOf(components, 'CAROUSEL')?.cards ?? []).flatMap((part, card) => {
    const header = componentOf(part.components, 'HEADER')
    const format = mediaFormatOf(header)
    const mediaId = header !== undefined && 'media_id' in header ? header.media_id : undefined
    return format === null || mediaId === undefined
      ? []
      : [{ card, mediaId, kind: headerKind(format) }]
  })

/**
 * Offsets of `card` in `template_card_files` for the published cards and the published header.
 * Lower numbers are the cards of the draft.
 */
const PUBLISHED_CARDS = 100

const PUBLISHED_HEADER = 200

/**
 * Returns the stored files of the published version that still exist. They are sent until the draft
 * is published.
 */
function publishedFilesOf(ctx: Ctx, row: TemplateRow): { card: number; mediaId: string }[] {
  if (row.publishedComponents === null || row.deletedAtMs !== null) return []
  const header = sentHeaderFileOf(row)
  const named = [
    ...cardFilesOf(sentComponentsOf(row)).map(({ card, mediaId }) => ({
      card: PUBLISHED_CARDS + card,
      mediaId,
    })),
    ...(header === null ? [] : [{ card: PUBLISHED_HEADER, mediaId: header }]),
  ]
  const here = new Set(
    findMedia(
      ctx,
      named.map(({ mediaId }) => mediaId),
    ).map(({ id }) => id),
  )
  return named.filter(({ mediaId }) => here.has(mediaId))
}

/**
 * Marks the files of a template (draft and published version) as used and releases those it no
 * longer refers to. Runs in the transaction that writes the template.
 */
export function updateFileReferencesIn(
  tx: Tx,
  ctx: Ctx,
  row: TemplateRow,
  before: TemplateRow | null,
): void {
  const files = [...cardFilesOf(componentsOf(row)), ...publishedFilesOf(ctx, row)]
  of(ctx, templateCardFiles).delete(tx, { templateId: row.id })
  of(ctx, templateCardFiles).insertAll(
    tx,
    files.map(({ card, mediaId }) => ({ templateId: row.id, card, mediaId })),
  )
  const kept = [
    ...files.map(({ mediaId }) => mediaId),
    ...(row.headerMediaId === null ? [] : [row.headerMediaId]),
  ]
  keepMediaIn(tx, ctx, kept)
  const former =
    before === null
      ? []
      : [
          ...[...cardFilesOf(componentsOf(before)), ...publishedFilesOf(ctx, before)].map(
            ({ mediaId }) => mediaId,
          ),
          before.headerMediaId,
        ]
  for (const id of new Set(former))
    if (id !== null && !kept.includes(id)) releaseMediaIn(tx, ctx, id)
}
